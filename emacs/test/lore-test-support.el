;;; lore-test-support.el --- Vaults for tests  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Every test has a directory of its own with a home, a git identity and
;; vaults, and runs the real `lore' (LORE_TEST_BINARY) in it.

;;; Code:

(require 'ert)
(require 'lore)

(defvar lore-test-home nil
  "Directory of the running test.")

(defvar lore-test-folder
  (file-name-directory (directory-file-name (file-name-directory (or load-file-name buffer-file-name))))
  "Directory of lore.el.")

(defvar lore-test-pages "markdown"
  "Format of the pages of the running test: \"markdown\" or \"org\".")

(defun lore-test-org-p ()
  "Return non-nil if the running test has Org pages."
  (equal lore-test-pages "org"))

(eval-and-compile
  (defun lore-test-in-org (form)
    "Return FORM with its strings as they are in a vault of Org pages.
Files end with .org, and lines of frontmatter are properties."
    (cond ((stringp form)
           (let ((case-fold-search nil))
             (replace-regexp-in-string
              "^\\(summary\\|status\\|created\\|updated\\): "
              (lambda (key) (format ":%s: " (upcase (substring key 0 -2))))
              (replace-regexp-in-string "\\.md\\>" ".org" form) t)))
          ((consp form)
           (cons (lore-test-in-org (car form)) (lore-test-in-org (cdr form))))
          (t form))))

(defmacro lore-deftest (name arguments documentation &rest body)
  "Define the tests NAME and NAME-org with ARGUMENTS, DOCUMENTATION and BODY.
The first runs in vaults of Markdown pages, the second in those of Org pages."
  (declare (indent 2) (doc-string 3) (debug (&define name sexp stringp def-body)))
  `(progn
     (ert-deftest ,name ,arguments ,documentation ,@body)
     (ert-deftest ,(intern (format "%s-org" name)) ,arguments
       ,documentation
       (let ((lore-test-pages "org"))
         ,@(lore-test-in-org body)))))

(defun lore-test-binary ()
  "Return the program under test."
  (or (getenv "LORE_TEST_BINARY") (error "LORE_TEST_BINARY is not set")))

(defun lore-test-environment (home)
  "Return the environment of commands in HOME."
  (append (list (concat "HOME=" home)
                (concat "LORE_HOME=" (expand-file-name "lore" home))
                "LORE_MODEL=wordllama-256" "LORE_ACTOR=tester"
                "GIT_CONFIG_NOSYSTEM=1" "LC_ALL=C.UTF-8"
                "GIT_AUTHOR_NAME=Ada" "GIT_AUTHOR_EMAIL=ada@example.org"
                "GIT_COMMITTER_NAME=Ada" "GIT_COMMITTER_EMAIL=ada@example.org")
          process-environment))

(defun lore-test-reset ()
  "Forget everything about vaults."
  (when lore--roam-root
    (lore-roam-exit))
  (mapc #'lore-cancel lore--processes)
  (setq lore--processes nil)
  (clrhash lore--states)
  (clrhash lore--titles)
  (setq lore--registered 'unknown))

(defmacro lore-test (&rest body)
  "Run BODY in a directory of its own, and clean up after it."
  (declare (indent 0) (debug t))
  `(let* ((lore-test-home (file-name-as-directory (file-truename (make-temp-file "lore-el-" t))))
          (process-environment (lore-test-environment lore-test-home))
          (default-directory lore-test-home)
          (user-emacs-directory (expand-file-name "emacs.d/" lore-test-home))
          (lore-roam-folder (expand-file-name "lore-roam/" user-emacs-directory))
          (lore-executable (lore-test-binary))
          (lore-default-vault nil)
          (before (buffer-list))
          (inhibit-message t)
          (create-lockfiles nil)
          (make-backup-files nil)
          (auto-revert-verbose nil))
     (make-directory user-emacs-directory t)
     (lore-test-reset)
     (unwind-protect
         (progn ,@body)
       (lore-test-reset)
       (dolist (buffer (buffer-list))
         (unless (memq buffer before)
           (when (buffer-live-p buffer)
             (with-current-buffer buffer
               (set-buffer-modified-p nil))
             (kill-buffer buffer))))
       (lore-test-delete lore-test-home))))

(defun lore-test-delete (directory)
  "Delete DIRECTORY, even if a process that was cancelled still writes there."
  (let ((end (+ (float-time) 10)))
    (while (file-directory-p directory)
      (condition-case error
          (delete-directory directory t)
        (file-error (when (> (float-time) end)
                      (signal (car error) (cdr error)))
                    (accept-process-output nil 0.05))))))

(defun lore-test-sh (directory &rest command)
  "Run COMMAND in DIRECTORY; return its output, or fail."
  (let ((default-directory directory))
    (with-temp-buffer
      (let ((exit (apply #'call-process (car command) nil t nil (cdr command))))
        (unless (eql exit 0)
          (ert-fail (list command exit (buffer-string))))
        (string-trim-right (buffer-string))))))

(defun lore-test-lore (root &rest arguments)
  "Run `lore' with ARGUMENTS in ROOT; return its output."
  (apply #'lore-test-sh root (lore-test-binary) arguments))

(defun lore-test-git (root &rest arguments)
  "Run git with ARGUMENTS in ROOT; return its output."
  (apply #'lore-test-sh root "git" arguments))

(defun lore-test-vault (&optional profile name)
  "Return the root of a new vault of PROFILE with NAME."
  (let ((name (or name "kb")))
    (lore-test-lore lore-test-home "init" name "--profile" (or profile "roam")
                    "--pages" lore-test-pages)
    (file-name-as-directory (expand-file-name name lore-test-home))))

(defun lore-test-write (root path text)
  "Write TEXT to PATH in ROOT without Lore; return the file."
  (let ((file (expand-file-name path root)))
    (make-directory (file-name-directory file) t)
    (with-temp-file file
      (insert text))
    file))

(defun lore-test-node (number title body &optional project tag)
  "Return a valid node of the roam profile with NUMBER, TITLE and BODY.
Its PROJECT is general and its TAG observation, unless they are given.  The body
starts at the same line in both formats."
  (funcall (if (lore-test-org-p) #'lore-test-org-node #'lore-test-markdown-node)
           number title body (or project "general") (or tag "observation")))

(defun lore-test-org-node (number title body project tag)
  "Return an Org node with NUMBER, TITLE, BODY, PROJECT and TAG."
  (format ":PROPERTIES:
:ID: 0192f3a1-7c4e-7b21-9d55-%012x
:PROJECTS: :%s:
:CREATED: 2026-01-01
:UPDATED: 2026-01-01
:CREATED_BY: ada
:CONFIDENCE: observed
:VISIBILITY: personal
:SOURCE: chat 2026-01-01
:STATUS: current
:SUMMARY: What %s is about.
:END:
#+title: %s
#+filetags: :%s:


%s
" number project title title tag body))

(defun lore-test-markdown-node (number title body project tag)
  "Return a Markdown node with NUMBER, TITLE, BODY, PROJECT and TAG."
  (format "---
id: 0192f3a1-7c4e-7b21-9d55-%012x
title: %s
projects: [%s]
created: 2026-01-01
updated: 2026-01-01
created_by: ada
confidence: observed
visibility: personal
source: chat 2026-01-01
status: current
summary: What %s is about.
tags: [%s]
---
# %s

%s
" number title project title tag title body))

(defun lore-test-commit (root)
  "Commit everything in ROOT through Lore."
  (lore-test-lore root "git" "commit"))

(defun lore-test-nodes (root &rest nodes)
  "Write NODES, each a list of a path, a title and a body, to ROOT and commit.
Paths end with .md, and links are [[Title]], in Org too."
  (let ((titles (mapcar #'cadr nodes))
        (number 0))
    (pcase-dolist (`(,path ,title ,body) nodes)
      (when (lore-test-org-p)
        (setq path (lore-test-in-org path)
              body (lore-test-id-links body titles)))
      (lore-test-write root path (lore-test-node (cl-incf number) title body))))
  (lore-test-commit root))

(defun lore-test-id-links (text titles)
  "Return TEXT with id links for its links to the nodes with TITLES."
  (replace-regexp-in-string
   "\\[\\[\\([^]]+\\)\\]\\]"
   (lambda (link)
     (let* ((title (substring link 2 -2))
            (number (seq-position titles title)))
       (if number
           (format "[[id:0192f3a1-7c4e-7b21-9d55-%012x][%s]]" (1+ number) title)
         link)))
   text t t))

(defun lore-test-visit (root path)
  "Visit PATH in ROOT with `lore-mode'; return the buffer."
  (let ((buffer (find-file-noselect (expand-file-name path root))))
    (with-current-buffer buffer
      (lore-mode-if-page))
    buffer))

(defmacro lore-test-until (condition)
  "Wait until CONDITION holds, or fail after ten seconds."
  (declare (debug t))
  `(let ((end (+ (float-time) 10)))
     (while (not ,condition)
       (when (> (float-time) end)
         (ert-fail '(never ,condition)))
       (lore-wait nil))))

(defun lore-test-saved (root)
  "Wait until the saves of ROOT are handled."
  (lore-test-until (not (lore-saving-p root))))

(defun lore-test-replace (old new)
  "Replace OLD by NEW in this buffer, and save it."
  (goto-char (point-min))
  (search-forward old)
  (replace-match new t t)
  (save-buffer))

(defun lore-test-head (root)
  "Return the subject of the last commit of ROOT."
  (lore-test-git root "log" "-1" "--format=%s"))

(defun lore-test-text (buffer)
  "Return the text of BUFFER."
  (with-current-buffer buffer
    (buffer-substring-no-properties (point-min) (point-max))))

(provide 'lore-test-support)
;;; lore-test-support.el ends here
