;;; lore-roam-test.el --- Tests of the org-roam profile switch  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'lore-test-support)
(require 'org)
(require 'org-agenda)
(require 'org-capture)
(require 'org-roam)
(require 'org-roam-dailies)

(defvar lore-roam-test-fired nil
  "What the hooks of the person's own notes did.")

(defvar lore-roam-test-recipes "recipes/"
  "A path of the person's own find wrappers.")

(defvar lore-roam-test-unbound)

(defun lore-roam-test-find-recipe ()
  "A find wrapper of the person's own."
  (interactive)
  (push 'recipe lore-roam-test-fired))

(defun lore-roam-test-copy-todo ()
  "Copy a completed task to the person's journal."
  (push 'todo lore-roam-test-fired))

(defun lore-roam-test-add-to-agenda ()
  "Add a captured node to the person's agenda."
  (push 'agenda lore-roam-test-fired))

(defconst lore-roam-test-variables
  '(org-roam-directory org-roam-db-location org-roam-file-exclude-regexp
    org-roam-dailies-directory org-roam-dailies-capture-templates
    org-roam-capture-templates org-roam-capture-ref-templates org-roam-extract-new-file-path
    org-roam-capture-new-node-hook org-roam-find-file-hook
    org-agenda-files org-refile-targets org-capture-after-finalize-hook
    org-after-todo-state-change-hook org-after-refile-insert-hook lore-roam-test-recipes)
  "The variables that a switch must restore.")

(defmacro lore-roam-test (&rest body)
  "Run BODY with a personal profile of org-roam and the vault ROOT."
  (declare (indent 0) (debug t))
  `(lore-test
     (let* ((root (file-name-as-directory (expand-file-name "kb" lore-test-home)))
            (personal (file-name-as-directory (expand-file-name "personal" lore-test-home)))
            (closure (let ((here personal)) (lambda () (push here lore-roam-test-fired))))
            (lore-roam-test-fired nil)
            (lore-roam-disabled-commands '(lore-roam-test-find-recipe))
            (lore-roam-variables '((lore-roam-test-recipes . "/nowhere/")))
            (before (mapcar #'lore--roam-value lore-roam-test-variables)))
       (make-directory root t)
       (make-directory personal t)
       (write-region "profile = \"roam\"\n[[generated]]\npath = \"index\"\n[raw]\nfolder = \"raw\"\n"
                     nil (expand-file-name "lore.toml" root) nil 'silent)
       (unwind-protect
           (progn
             (setq-default
              org-roam-directory personal
              org-roam-db-location (expand-file-name "personal.db" lore-test-home)
              org-roam-file-exclude-regexp "secret"
              org-roam-dailies-directory "journal/"
              org-roam-dailies-capture-templates '(("j" "journal" entry "* %?"))
              org-roam-capture-templates (list (list "r" "recipe" 'plain closure))
              org-agenda-files (list (expand-file-name "tasks.org" personal))
              org-capture-after-finalize-hook (list #'lore-roam-test-add-to-agenda closure)
              org-after-todo-state-change-hook (list #'lore-roam-test-copy-todo)
              org-roam-capture-new-node-hook (list closure)
              lore-roam-test-recipes "recipes/")
             ,@body)
         (when lore--roam-root (lore-roam-exit))
         (lore--roam-restore before)))))

(defun lore-roam-test-node (root path id title &optional body)
  "Write an Org node with ID, TITLE and BODY to PATH in ROOT."
  (lore-test-write root path
                   (format ":PROPERTIES:\n:ID:       %s\n:END:\n#+title: %s\n\n%s\n" id title
                           (or body "Text."))))

(defun lore-roam-test-synced ()
  "Wait until the database is synchronized."
  (let ((end (+ (float-time) 30)))
    (while (and (eq lore-roam-sync-state 'running) (< (float-time) end))
      (accept-process-output lore--roam-process 0.05)))
  (should (eq lore-roam-sync-state 'done)))

(defmacro lore-roam-test-without-sync (&rest body)
  "Run BODY without synchronizing databases."
  (declare (indent 0) (debug t))
  `(cl-letf (((symbol-function 'lore--roam-start-sync) #'ignore))
     ,@body))

(ert-deftest lore-roam-switch-restores-everything ()
  "The whole profile is installed, and restored exactly."
  (lore-roam-test
    (lore-roam-test-without-sync
      (let ((own (mapcar #'lore--roam-value lore-roam-test-variables)))
        (dotimes (_ 2)
          (lore-roam-enter root)
          (should (equal org-roam-directory root))
          (should (equal org-roam-db-location (lore-roam-database root)))
          (should-not (string-prefix-p personal org-roam-db-location))
          (should (equal org-roam-capture-templates lore-roam-capture-templates))
          (should (null org-roam-dailies-capture-templates))
          (should (null org-capture-after-finalize-hook))
          (should (null org-after-todo-state-change-hook))
          (should (null org-roam-capture-new-node-hook))
          (should (equal lore-roam-test-recipes "/nowhere/"))
          ;; Something changes the profile while it is switched.
          (add-to-list 'org-agenda-files (expand-file-name "node.org" root))
          (setq org-roam-dailies-directory "elsewhere/")
          (add-hook 'org-capture-after-finalize-hook #'ignore)
          (lore-roam-exit)
          (pcase-dolist (`(,symbol ,bound ,value) own)
            (should (eq (default-boundp symbol) bound))
            (when bound
              ;; The very same objects, not copies.
              (should (eq (default-value symbol) value)))))))))

(ert-deftest lore-roam-unbound-variables-stay-unbound ()
  "A variable that had no value has none afterwards."
  (lore-roam-test
    (lore-roam-test-without-sync
      (let ((lore-roam-variables '((lore-roam-test-unbound . 1))))
        (lore-roam-enter root)
        (should (equal (default-value 'lore-roam-test-unbound) 1))
        (lore-roam-exit)
        (should-not (boundp 'lore-roam-test-unbound))))))

(ert-deftest lore-roam-own-hooks-do-not-fire ()
  "A completed task and a capture in the vault reach nothing personal."
  (lore-roam-test
    (lore-roam-test-without-sync
      (lore-roam-enter root)
      (with-temp-buffer
        (org-mode)
        (insert "* TODO Task\n")
        (goto-char (point-min))
        (org-todo 'done))
      (run-hooks 'org-capture-after-finalize-hook 'org-roam-capture-new-node-hook)
      (should (null lore-roam-test-fired))
      (lore-roam-exit)
      (with-temp-buffer
        (org-mode)
        (insert "* TODO Task\n")
        (goto-char (point-min))
        (org-todo 'done))
      (should (equal lore-roam-test-fired '(todo))))))

(ert-deftest lore-roam-own-commands-are-disabled ()
  "Dailies and the person's find wrappers are refused while switched."
  (lore-roam-test
    (lore-roam-test-without-sync
      (lore-roam-enter root)
      (should-error (org-roam-dailies-goto-today) :type 'user-error)
      (should-error (org-roam-dailies--capture (current-time)) :type 'user-error)
      (should-error (lore-roam-test-find-recipe) :type 'user-error)
      (should-not (file-exists-p (expand-file-name "daily" root)))
      (lore-roam-exit)
      (lore-roam-test-find-recipe)
      (should (equal lore-roam-test-fired '(recipe)))
      (should-not (advice-member-p #'lore--roam-refuse 'org-roam-dailies-goto-today)))))

(ert-deftest lore-roam-enter-again-and-another ()
  "Entering twice or another vault still restores the own profile."
  (lore-roam-test
    (lore-roam-test-without-sync
      (let ((own org-roam-capture-templates)
            (other (file-name-as-directory (expand-file-name "other" lore-test-home))))
        (make-directory other)
        (lore-roam-enter root)
        (lore-roam-enter root)
        (lore-roam-enter other)
        (should (equal org-roam-directory other))
        (lore-roam-exit)
        (should (eq org-roam-capture-templates own))
        (should (equal org-roam-directory personal))
        (lore-roam-exit)
        (should (equal org-roam-directory personal))
        (should (null (directory-files lore-roam-folder nil "own-profile")))))))

(ert-deftest lore-roam-own-index-is-a-node ()
  "In a vault that generates nothing, index.org and raw/ are the person's own."
  (lore-test
    (let ((root (file-name-as-directory (expand-file-name "own" lore-test-home))))
      (make-directory root)
      (lore-test-write root "lore.toml" "profile = \"notes\"\n")
      (dolist (path '("index.org" "index-a.org" "raw/x.org"))
        (should-not (seq-some (lambda (regexp) (string-match-p regexp path))
                              (lore-roam-exclude root)))))))

(ert-deftest lore-roam-exclusion ()
  "Raw captures and the generated index are no nodes; other pages are."
  (lore-roam-test
    (lore-roam-test-without-sync
      (lore-roam-enter root)
      (pcase-dolist (`(,path . ,expected)
                     '(("node.org" . t) ("sub/index.org" . t) ("indexes.org" . t)
                       ("sub/raw/x.org" . t)
                       ("raw/x.org") ("raw/files/x.org") ("index.org") ("index-procedures.org")))
        (let ((file (expand-file-name path root)))
          (should (eq (and (org-roam-file-p file) t) (and expected t)))
          ;; Newer versions of org-roam compare relative paths.
          (should (eq (not (seq-some (lambda (regexp) (string-match-p regexp path))
                                     org-roam-file-exclude-regexp))
                      (and expected t))))))))

(ert-deftest lore-roam-leaving-emacs-restores ()
  "Leaving Emacs while switched restores the own profile first."
  (lore-roam-test
    (lore-roam-test-without-sync
      (lore-roam-enter root)
      (should (memq #'lore-roam-exit kill-emacs-hook))
      (funcall (car (memq #'lore-roam-exit kill-emacs-hook)))
      (should (equal org-roam-directory personal))
      (should-not (memq #'lore-roam-exit kill-emacs-hook)))))

(defun lore-roam-test-child (&rest forms)
  "Run FORMS in another Emacs with lore.el; return its output."
  (with-temp-buffer
    (apply #'call-process (expand-file-name invocation-name invocation-directory) nil t nil
           (append (list "-Q" "--batch" "-L" lore-test-folder
                         "--eval" (prin1-to-string `(setq load-path ',load-path
                                                          lore-roam-folder ,lore-roam-folder)))
                   (mapcan (lambda (form) (list "--eval" (prin1-to-string form))) forms)))
    (buffer-string)))

(defconst lore-roam-test-own
  '(progn (require 'org-roam)
          (setq org-roam-directory "/home/ada/notes/"
                org-roam-dailies-directory "journal/"
                org-after-todo-state-change-hook '(ada-copy-todo)
                org-roam-capture-templates '(("r" "recipe"))))
  "The init file of the person in another Emacs.")

(ert-deftest lore-roam-crash-and-restart ()
  "After a crash while switched, start-up restores the own profile."
  (lore-roam-test
    (lore-roam-test-child
     lore-roam-test-own
     `(progn (require 'lore)
             (fset 'lore--roam-start-sync #'ignore)
             (lore-roam-enter ,root)
             (unless (equal org-roam-directory ,root) (kill-emacs 1))
             (signal-process (emacs-pid) 'SIGKILL)
             (sleep-for 10)))
    (should (directory-files lore-roam-folder nil "own-profile"))
    ;; A saved session or Customize has kept values of the vault.
    (let* ((leaked `(progn (require 'org-roam)
                           (setq org-roam-directory ,root
                                 org-roam-dailies-directory "daily/"
                                 org-after-todo-state-change-hook nil
                                 org-roam-capture-templates '(("n" "set by the init file since")))))
           (output (lore-roam-test-child
                    leaked '(require 'lore)
                    '(princ (format "%S" (list org-roam-directory org-roam-dailies-directory
                                               org-after-todo-state-change-hook
                                               org-roam-capture-templates lore--roam-root))))))
      (should (string-search
               (format "%S" '("/home/ada/notes/" "journal/" (ada-copy-todo)
                              (("n" "set by the init file since")) nil))
               output)))
    (should-not (directory-files lore-roam-folder nil "own-profile"))))

(ert-deftest lore-roam-another-emacs-is-left-alone ()
  "The kept profile of an Emacs that is running is not used."
  (lore-roam-test
    (lore-roam-test-without-sync
      (lore-roam-enter root)
      (lore-roam-test-child lore-roam-test-own '(require 'lore))
      (should (file-exists-p (lore--roam-file)))
      (lore-roam-exit)
      (should-not (file-exists-p (lore--roam-file))))))

(ert-deftest lore-roam-damaged-file-is-ignored ()
  "A damaged file of a kept profile does not disturb start-up."
  (lore-roam-test
    (make-directory lore-roam-folder t)
    (dolist (text '("" "(" "(:root nil)" "\"text\"" "(:root \"/x/\" :pid 999999 :own nil)"))
      (write-region text nil (expand-file-name "own-profile-999999.eld" lore-roam-folder) nil 'silent)
      (should (null (lore-roam-recover)))
      (should-not (directory-files lore-roam-folder nil "own-profile")))
    (should (equal org-roam-directory personal))))

(ert-deftest lore-roam-sync-only-when-stale ()
  "The database is made, and made again only if a node changed."
  (lore-roam-test
    (lore-roam-test-node root "one.org" "11111111-1111-4111-8111-111111111111" "One"
                         "See [[id:22222222-2222-4222-8222-222222222222][Two]].")
    (lore-roam-test-node root "two.org" "22222222-2222-4222-8222-222222222222" "Two")
    (lore-roam-test-node root "raw/source.org" "33333333-3333-4333-8333-333333333333" "Source")
    (lore-roam-test-node root "index.org" "44444444-4444-4444-8444-444444444444" "Index")
    (should (lore-roam-stale-p root))
    (lore-roam-enter root)
    (should (eq lore-roam-sync-state 'running))
    (should (string-match-p "syncing" (lore--sync-text root)))
    (lore-roam-test-synced)
    (should (string-match-p "\\`up to date, last sync" (lore--sync-text root)))
    (should (equal (sort (mapcar #'car (org-roam-db-query [:select title :from nodes])) #'string<)
                   '("One" "Two")))
    (should (equal (org-roam-db-query [:select [source dest] :from links])
                   '(("11111111-1111-4111-8111-111111111111"
                      "22222222-2222-4222-8222-222222222222"))))
    (should-not (lore-roam-stale-p root))
    (cl-letf (((symbol-function 'lore--roam-start-sync) (lambda (_) (error "Synced again"))))
      (lore-roam-sync)
      (should (eq lore-roam-sync-state 'done))
      (should-error (lore-roam-sync t)))
    ;; The index is generated: it makes nothing stale.
    (set-file-times (expand-file-name "index.org" root) (time-add nil 10))
    (should-not (lore-roam-stale-p root))
    (delete-file (expand-file-name "two.org" root))
    (should (lore-roam-stale-p root))
    (lore-roam-sync)
    (lore-roam-test-synced)
    (should (equal (org-roam-db-query [:select title :from nodes]) '(("One"))))
    (should-not (file-exists-p (expand-file-name "personal.db" lore-test-home)))))

(ert-deftest lore-roam-sync-failure-is-shown ()
  "A sync that fails is visible."
  (lore-roam-test
    (lore-roam-test-node root "one.org" "11111111-1111-4111-8111-111111111111" "One")
    (cl-letf (((symbol-function 'lore-roam-database)
               (lambda (_) (expand-file-name "missing/folder/x.db" lore-test-home))))
      (write-region "" nil (expand-file-name "missing" lore-test-home) nil 'silent)
      (lore-roam-enter root)
      (let ((end (+ (float-time) 20)))
        (while (and (eq lore-roam-sync-state 'running) (< (float-time) end))
          (accept-process-output lore--roam-process 0.05)))
      (should (eq lore-roam-sync-state 'failed))
      (should (string-match-p "failed" (lore--sync-text root))))))

(provide 'lore-roam-test)
;;; lore-roam-test.el ends here
