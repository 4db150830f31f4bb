;;; lore-lint-test.el --- Lore's lint beside org-lint  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The files in malformed/ are linted by `lore lint' in a vault of the roam
;; profile, and by `org-lint'.  malformed.md has what each of them reports and,
;; where they differ, why.

;;; Code:

(require 'lore-test-support)
(require 'json)
(require 'org)
(require 'org-lint)
(require 'org-id)

(defvar lore-lint-test-folder (expand-file-name "test/" lore-test-folder)
  "Directory of the tests.")

(defconst lore-lint-test-checks
  '(duplicate-custom-id duplicate-name duplicate-target duplicate-footnote-definition
    orphaned-affiliated-keywords obsolete-affiliated-keywords deprecated-export-blocks
    deprecated-header-syntax missing-language-in-src-block missing-backend-in-export-block
    invalid-babel-call-block colon-in-name wrong-header-argument wrong-header-value
    deprecated-category-setup invalid-coderef-link invalid-custom-id-link invalid-fuzzy-link
    invalid-id-link link-to-local-file non-existent-setupfile-parameter
    wrong-include-link-parameter obsolete-include-markup unknown-options-item
    invalid-macro-argument-and-template special-property-in-properties-drawer
    obsolete-properties-drawer invalid-effort-property undefined-footnote-reference
    unreferenced-footnote-definition extraneous-element-in-footnote-section
    invalid-keyword-syntax invalid-block misplaced-planning-info incomplete-drawer
    indented-diary-sexp quote-section file-application percent-encoding-link-escape
    spurious-colons)
  "The checks of Org 9.5, which Emacs 28 has.  Later ones are not compared.")

(defun lore-lint-test-files ()
  "Return the names of the malformed files."
  (directory-files (expand-file-name "malformed" lore-lint-test-folder) nil "\\.org\\'"))

(defun lore-lint-test-words (findings)
  "Return FINDINGS, each a line and a name, as text: \"2 name, 7 name\"."
  (let ((sorted (sort (delete-dups findings)
                      (lambda (a b) (if (= (car a) (car b)) (string< (cdr a) (cdr b))
                                      (< (car a) (car b)))))))
    (mapconcat (lambda (found)
                 (if (zerop (car found)) (cdr found) (format "%d %s" (car found) (cdr found))))
               sorted ", ")))

(defun lore-lint-test-ours ()
  "Return what Lore reports, as an alist from file to text."
  (let* ((root (file-name-as-directory (expand-file-name "kb" lore-test-home)))
         (folder (expand-file-name "malformed" lore-lint-test-folder)))
    (lore-test-lore lore-test-home "init" "kb" "--profile" "roam")
    (dolist (file (lore-lint-test-files))
      (copy-file (expand-file-name file folder) root))
    (let* ((default-directory root)
           (json-array-type 'list)
           (output (with-temp-buffer
                     (call-process (lore-test-binary) nil t nil "lint" "--json")
                     (goto-char (point-min))
                     (json-read)))
           (found (make-hash-table :test 'equal)))
      (dolist (finding (alist-get 'findings output))
        (push (cons (or (alist-get 'line finding) 0) (alist-get 'rule finding))
              (gethash (alist-get 'path finding) found)))
      (mapcar (lambda (file) (cons file (lore-lint-test-words (gethash file found))))
              (lore-lint-test-files)))))

(defun lore-lint-test-theirs ()
  "Return what `org-lint' reports, as an alist from file to text."
  (let* ((folder (expand-file-name "malformed" lore-lint-test-folder))
         (checks (seq-filter (lambda (check)
                               (memq (org-lint-checker-name check) lore-lint-test-checks))
                             org-lint--checkers))
         (org-id-track-globally t)
         (org-id-locations (make-hash-table :test 'equal))
         (org-id-locations-file (expand-file-name "ids" lore-test-home))
         (org-id-extra-files nil)
         (org-agenda-files nil)
         (org-inhibit-startup t))
    (mapcar
     (lambda (file)
       (with-temp-buffer
         (insert-file-contents (expand-file-name file folder))
         (setq default-directory (file-name-as-directory folder))
         (org-mode)
         (cons file
               (lore-lint-test-words
                (mapcar (lambda (report)
                          (let ((fields (cadr report)))
                            (cons (string-to-number (aref fields 0))
                                  (symbol-name (org-lint-checker-name (aref fields 3))))))
                        (org-lint--generate-reports (current-buffer) checks))))))
     (lore-lint-test-files))))

(defun lore-lint-test-table ()
  "Return the rows of malformed.md: file, Lore, org-lint, reason."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "malformed.md" lore-lint-test-folder))
    (let (rows)
      (while (re-search-forward "^| \\([^ |]+\\.org\\) |\\(.*\\)|\\(.*\\)|\\(.*\\)|$" nil t)
        (push (mapcar #'string-trim (mapcar #'match-string '(1 2 3 4))) rows))
      (nreverse rows))))

(ert-deftest lore-lint-beside-org-lint ()
  "Every difference between Lore's lint and `org-lint' is in the table, with its reason."
  (lore-test
    (let ((table (lore-lint-test-table))
          (ours (lore-lint-test-ours))
          (theirs (lore-lint-test-theirs)))
      (should (>= (length table) 40))
      (should (equal (mapcar (lambda (file)
                               (list file (alist-get file ours nil nil #'equal)
                                     (alist-get file theirs nil nil #'equal)))
                             (lore-lint-test-files))
                     (mapcar #'butlast table)))
      (pcase-dolist (`(,file ,our ,their ,reason) table)
        (when (xor (equal our "") (equal their ""))
          (should-not (equal (cons file reason) (cons file ""))))))))

(ert-deftest lore-lint-doctor-compares ()
  "`lore doctor' compares with `org-lint', and evaluates nothing of a page."
  (lore-test
    (lore-test-lore lore-test-home "init" "kb" "--profile" "roam")
    (let* ((root (file-name-as-directory (expand-file-name "kb" lore-test-home)))
           (trap (expand-file-name "trap" lore-test-home))
           (form (format "(write-region \"\" nil \"%s\")" trap))
           (doctor (lambda ()
                     (let ((default-directory root))
                       (with-temp-buffer
                         (call-process (lore-test-binary) nil t nil "doctor" "--format" "human")
                         (buffer-string))))))
      (should (string-search "org-lint: agrees with lore lint on 1 Org page" (funcall doctor)))
      (lore-test-write
       root "trap.org"
       (concat "# -*- eval: " form " -*-\n#+title: Trap\n#+property: header-args :var x=" form
               "\n#+macro: m (eval " form ")\n#+setupfile: /dev/zero\n\n"
               "#+begin_src emacs-lisp :var x=" form "\n" form "\n#+end_src\n\n"
               "{{{m}}} src_emacs-lisp{" form "} [[elisp:" form "]]\n\n"
               "#+begin_quote\nText.\n\n# Local " "Variables:\n# eval: " form "\n# End:\n"))
      (let ((text (funcall doctor)))
        (should (string-search "only org-lint reports trap.org:13: Possible incomplete block" text)))
      (should-not (file-exists-p trap)))))

(provide 'lore-lint-test)
;;; lore-lint-test.el ends here
