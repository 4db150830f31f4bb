;;; lore-roam.el --- Switch org-roam to a vault and back  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; org-roam has one directory and one database per session, and many
;; settings and hooks of a person's own notes would reach into a vault.
;; `lore-roam-enter' installs a whole profile for a vault; `lore-roam-exit'
;; restores the person's own exactly.  The own profile is also kept in a
;; file, so that it is restored at start-up after a crash.

;;; Code:

(require 'lore-process)

(declare-function org-roam-db--close "ext:org-roam-db" (&optional db))
(declare-function org-roam-db--get-connection "ext:org-roam-db" ())
(declare-function emacsql-live-p "ext:emacsql" (connection))
(declare-function org-roam-db-sync "ext:org-roam-db" (&optional force))
(declare-function org-roam-node-find "ext:org-roam-node")
(defvar org-roam-directory)
(defvar org-roam-db-location)
(defvar org-roam-file-exclude-regexp)

(defcustom lore-roam-folder (locate-user-emacs-file "lore-roam/")
  "Directory of the org-roam databases of vaults and of kept profiles."
  :group 'lore
  :type 'directory)

(defcustom lore-roam-capture-templates
  '(("n" "node" plain "%?"
     :target (file+head "%<%Y%m%d%H%M%S>-${slug}.org"
                        ":PROPERTIES:
:PROJECTS: :general:
:CREATED:  %<%Y-%m-%d>
:UPDATED:  %<%Y-%m-%d>
:CREATED_BY: human
:CONFIDENCE: user-stated
:VISIBILITY: personal
:SOURCE:   human %<%Y-%m-%d>
:STATUS:   current
:SUMMARY:  %^{Summary}
:END:
#+title: ${title}
#+filetags: :%^{Type|observation|principle|preference|procedure|reference}:
")
     :unnarrowed t))
  "Capture templates of org-roam while the profile of a vault is installed."
  :group 'lore
  :type 'sexp)

(defcustom lore-roam-hooks
  '(org-roam-capture-new-node-hook
    org-roam-find-file-hook
    org-roam-post-node-insert-hook
    org-roam-dailies-find-file-hook
    org-capture-mode-hook
    org-capture-prepare-finalize-hook
    org-capture-before-finalize-hook
    org-capture-after-finalize-hook
    org-after-refile-insert-hook
    org-after-todo-state-change-hook
    org-trigger-hook)
  "Hooks that are empty while the profile of a vault is installed.
Functions on them add captured nodes to agenda files, copy completed tasks
to a journal and the like, which must not happen to the nodes of a vault."
  :group 'lore
  :type '(repeat symbol))

(defcustom lore-roam-variables nil
  "Further variables of the profile of a vault, each with its value.
A function as value is called with the root of the vault."
  :group 'lore
  :type '(alist :key-type symbol :value-type sexp))

(defcustom lore-roam-kept-variables '(org-agenda-files org-refile-targets)
  "Variables that keep their value, but lose changes made while switched."
  :group 'lore
  :type '(repeat symbol))

(defcustom lore-roam-disabled-commands nil
  "Commands of your own notes that are disabled in the profile of a vault.
These are wrappers that find or capture nodes by your own templates and
paths.  The commands of org-roam-dailies are always disabled."
  :group 'lore
  :type '(repeat symbol))

(defvar lore--roam-saved nil
  "The person's own values, as a list of (SYMBOL BOUND VALUE).")

(defvar lore--roam-advised nil
  "Commands that are disabled now.")

(defvar lore-roam-sync-state nil
  "State of the database of org-roam: nil, `running', `done' or `failed'.")

(defvar lore--roam-process nil
  "The process that synchronizes the database.")

(defvar lore-roam-enter-hook nil
  "Hook run after the profile of a vault is installed.")

(defvar lore-roam-exit-hook nil
  "Hook run after the person's own profile is restored.")

;;; The profile

(defun lore-roam-database (root)
  "Return the file of the org-roam database of the vault at ROOT."
  (expand-file-name (format "%s-%s.db" (lore-vault-name root) (substring (md5 root) 0 8))
                    lore-roam-folder))

(defun lore--generates-p (root)
  "Return non-nil if the policy of the vault at ROOT has generated pages."
  (let ((policy (expand-file-name "lore.toml" root)))
    (and (file-readable-p policy)
         (with-temp-buffer
           (insert-file-contents policy)
           (re-search-forward "^\\[\\[generated]]" nil t)))))

(defun lore-roam-exclude (root)
  "Return what org-roam does not scan in the vault at ROOT.
Depending on its version, it compares absolute or relative paths.  In a
vault without generated pages or captures, files of these names are the
person's own nodes."
  (let* ((raw (lore-raw-folder root))
         (excluded (delq nil (list (and raw (regexp-quote raw))
                                   (and (lore--generates-p root)
                                        "index\\(?:-[^/]*\\)?\\.org\\'")
                                   "\\.lore/"))))
    (mapcan (lambda (start)
              (mapcar (lambda (name) (concat start name)) excluded))
            (list "\\`" (concat "\\`" (regexp-quote root))))))

(defun lore-roam-profile (root)
  "Return the profile of the vault at ROOT, as an alist."
  (append
   (mapcar (lambda (extra)
             (cons (car extra)
                   (if (functionp (cdr extra)) (funcall (cdr extra) root) (cdr extra))))
           lore-roam-variables)
   `((org-roam-directory . ,root)
     (org-roam-db-location . ,(lore-roam-database root))
     (org-roam-file-exclude-regexp . ,(lore-roam-exclude root))
     (org-roam-capture-templates . ,lore-roam-capture-templates)
     (org-roam-capture-ref-templates . nil)
     (org-roam-extract-new-file-path . "%<%Y%m%d%H%M%S>-${slug}.org")
     ;; Nothing writes there while the commands are disabled.
     (org-roam-dailies-directory . "daily/")
     (org-roam-dailies-capture-templates . nil))
   (mapcar #'list lore-roam-hooks)))

(defun lore--roam-require ()
  "Load org-roam, or say that it is missing."
  (unless (and (require 'org-roam nil t) (require 'org-roam-dailies nil t))
    (user-error "The package org-roam is not installed")))

(defun lore--roam-value (symbol)
  "Return the global value of SYMBOL as (SYMBOL BOUND VALUE)."
  (if (default-boundp symbol)
      (list symbol t (default-value symbol))
    (list symbol nil nil)))

(defun lore--roam-restore (saved)
  "Restore the values in SAVED, a list of (SYMBOL BOUND VALUE)."
  (pcase-dolist (`(,symbol ,bound ,value) saved)
    (if bound
        (set-default symbol value)
      (makunbound symbol))))

(defun lore--roam-refuse (&rest _)
  "Refuse a command that belongs to the person's own notes."
  (user-error "This command is disabled while org-roam shows %s; leave with M-x lore-roam-exit"
              (if lore--roam-root (lore-vault-name lore--roam-root) "a vault")))

(defun lore--roam-disable ()
  "Disable the commands of the person's own notes."
  (setq lore--roam-advised
        (seq-filter #'fboundp
                    (append lore-roam-disabled-commands
                            '(org-roam-dailies--capture)
                            (apropos-internal "\\`org-roam-dailies-" #'commandp))))
  (dolist (command lore--roam-advised)
    (advice-add command :override #'lore--roam-refuse)))

(defun lore--roam-enable ()
  "Enable the commands of the person's own notes again."
  (dolist (command lore--roam-advised)
    (advice-remove command #'lore--roam-refuse))
  (setq lore--roam-advised nil))

;;;###autoload
(defun lore-roam-enter (root)
  "Switch org-roam to the vault at ROOT.
Your own profile is kept and `lore-roam-exit' restores it exactly."
  (interactive (list (lore-current-vault)))
  (lore--roam-require)
  (setq root (lore--directory root))
  (when (and lore--roam-root (not (equal lore--roam-root root)))
    (lore-roam-exit))
  (unless lore--roam-root
    (let ((profile (lore-roam-profile root)))
      (make-directory lore-roam-folder t)
      (setq lore--roam-saved
            (mapcar #'lore--roam-value
                    (seq-uniq (append (mapcar #'car profile) lore-roam-kept-variables))))
      (lore--roam-keep root profile)
      (setq lore--roam-root root)
      (add-hook 'kill-emacs-hook #'lore-roam-exit -90)
      (pcase-dolist (`(,symbol . ,value) profile)
        (set-default symbol value))
      (lore--roam-disable)))
  (lore-roam-sync)
  (run-hooks 'lore-roam-enter-hook)
  (message "org-roam shows %s; M-x lore-roam-exit returns to your own notes"
           (lore-vault-name root)))

;;;###autoload
(defun lore-roam-exit ()
  "Restore your own org-roam profile exactly as it was."
  (interactive)
  (when lore--roam-root
    (let ((root lore--roam-root))
      (when (process-live-p lore--roam-process)
        (lore-cancel lore--roam-process))
      (lore--roam-close)
      (lore--roam-enable)
      (lore--roam-restore lore--roam-saved)
      (setq lore--roam-root nil
            lore--roam-saved nil
            lore-roam-sync-state nil)
      (remove-hook 'kill-emacs-hook #'lore-roam-exit)
      (lore--roam-forget (lore--roam-file))
      (run-hooks 'lore-roam-exit-hook)
      (message "org-roam shows your own notes again, not %s" (lore-vault-name root)))))

;;; After a crash

(defun lore--roam-file (&optional pid)
  "Return the file with the own profile of the Emacs with PID."
  (expand-file-name (format "own-profile-%d.eld" (or pid (emacs-pid))) lore-roam-folder))

(defun lore--roam-forget (file)
  "Delete FILE, which kept a profile."
  (when (file-exists-p file)
    (delete-file file)))

(defun lore--roam-readable (value)
  "Return VALUE if it can be written to a file and read again, else `lore--lost'."
  (condition-case nil
      (let* ((print-length nil) (print-level nil) (print-circle t)
             (copy (read (prin1-to-string value))))
        (if (equal copy value) value 'lore--lost))
    (error 'lore--lost)))

(defun lore--roam-started (pid)
  "Return when the process PID was started, or nil if there is none."
  (when-let ((start (alist-get 'start (process-attributes pid))))
    (format-time-string "%s" start)))

(defun lore--roam-keep (root profile)
  "Keep the own values in a file while PROFILE of the vault at ROOT is installed."
  (let ((print-length nil) (print-level nil) (print-circle t)
        (write-region-inhibit-fsync nil)
        (readable (lambda (entry)
                    (list (car entry) (cadr entry) (lore--roam-readable (nth 2 entry))))))
    (with-temp-file (lore--roam-file)
      (insert ";; The own org-roam profile of a person while org-roam shows a vault.\n")
      (prin1 (list :root root
                   :pid (emacs-pid)
                   :started (lore--roam-started (emacs-pid))
                   :own (mapcar readable lore--roam-saved)
                   :profile (mapcar (lambda (entry)
                                      (cons (car entry) (lore--roam-readable (cdr entry))))
                                    profile))
             (current-buffer))
      (insert "\n"))))

(defun lore--roam-read (file)
  "Return the profile in FILE, or nil."
  (ignore-errors
    (with-temp-buffer
      (insert-file-contents file)
      (let ((kept (read (current-buffer))))
        (and (plist-get kept :root) kept)))))

(defun lore--roam-running-p (kept)
  "Return non-nil if the Emacs that wrote KEPT is still running."
  (when-let ((started (lore--roam-started (plist-get kept :pid))))
    (equal started (plist-get kept :started))))

(defun lore--roam-recover-from (kept)
  "Restore the own values of KEPT; return the symbols that were restored.
Only a variable that still has the value of the vault's profile is
restored: the init file may have set the others since."
  (let (restored)
    (pcase-dolist (`(,symbol ,bound ,value) (plist-get kept :own))
      (let ((installed (assq symbol (plist-get kept :profile))))
        (when (and installed
                   (not (eq value 'lore--lost))
                   (not (equal value (cdr installed)))
                   (or (not (default-boundp symbol))
                       (equal (default-value symbol) (cdr installed))))
          (lore--roam-restore (list (list symbol bound value)))
          (push symbol restored))))
    restored))

;;;###autoload
(defun lore-roam-recover ()
  "Restore your own org-roam profile after a crash while it was switched.
The file lore.el calls it at start-up."
  (interactive)
  (let (restored)
    (when (and (file-directory-p lore-roam-folder) (not lore--roam-root))
      (dolist (file (directory-files lore-roam-folder t "\\`own-profile-[0-9]+\\.eld\\'"))
        (let ((kept (lore--roam-read file)))
          (unless (and kept (lore--roam-running-p kept))
            (when kept
              (setq restored (append (lore--roam-recover-from kept) restored)))
            (lore--roam-forget file)))))
    (when restored
      (message "Lore restored your own org-roam profile after an interrupted session"))
    restored))

;;; The database of org-roam

(defun lore--roam-files (root)
  "Return the files of the vault at ROOT that org-roam scans."
  (let ((exclude (lore-roam-exclude root)))
    (seq-remove (lambda (file)
                  (let ((path (file-relative-name file root)))
                    (seq-some (lambda (regexp) (string-match-p regexp path)) exclude)))
                (directory-files-recursively
                 root "\\.org\\'" nil
                 (lambda (folder) (not (string-prefix-p "." (file-name-nondirectory folder))))))))

(defun lore--roam-names (root)
  "Return a hash of the names of the files of the vault at ROOT."
  (md5 (string-join (sort (lore--roam-files root) #'string<) "\n")))

(defun lore--roam-stamp (root)
  "Return the file with the names of the files in the database of ROOT."
  (concat (lore-roam-database root) ".files"))

(defun lore-roam-stale-p (root)
  "Return non-nil if the org-roam database of the vault at ROOT is out of date.
It is missing, a node is newer, or a file was added or deleted."
  (let ((database (lore-roam-database root))
        (stamp (lore--roam-stamp root)))
    (or (not (file-exists-p database))
        (not (file-exists-p stamp))
        (seq-some (lambda (file) (file-newer-than-file-p file database))
                  (lore--roam-files root))
        (not (equal (lore--roam-names root)
                    (with-temp-buffer
                      (insert-file-contents stamp)
                      (buffer-string)))))))

;;;###autoload
(defun lore-roam-sync (&optional force)
  "Update the org-roam database of the vault if it is out of date.
With a prefix argument FORCE, update it in any case.  Another Emacs does
the work, and `lore-roam-sync-state' tells how far it is."
  (interactive "P")
  (unless lore--roam-root
    (user-error "Org-roam shows your own notes; enter a vault with M-x lore-roam-enter"))
  (let ((root lore--roam-root))
    (cond ((process-live-p lore--roam-process)
           (message "Lore: syncing %s..." (lore-vault-name root)))
          ((or force (lore-roam-stale-p root))
           (lore--roam-start-sync root))
          (t
           (setq lore-roam-sync-state 'done)
           (when (called-interactively-p 'interactive)
             (message "Lore: the org-roam database is up to date"))))))

(defun lore--roam-close ()
  "Close the connection of org-roam to the database of the vault."
  (when-let ((connection (ignore-errors (org-roam-db--get-connection))))
    (ignore-errors
      (org-roam-db--close connection)
      ;; A process that is about to end would get the next query.
      (let ((end (+ (float-time) 1)))
        (while (and (emacsql-live-p connection) (< (float-time) end))
          (accept-process-output nil 0.01))))))

(defun lore--roam-start-sync (root)
  "Update the database of the vault at ROOT in another Emacs."
  (unless (file-exists-p (lore-roam-database root))
    ;; Otherwise a connection to a deleted file would be used.
    (lore--roam-close))
  (let ((names (lore--roam-names root))
        (buffer (get-buffer-create " *lore sync*"))
        (form `(progn
                 (setq load-path ',load-path)
                 (setq org-roam-directory ,root
                       org-roam-db-location ,(lore-roam-database root)
                       org-roam-file-exclude-regexp ',(lore-roam-exclude root)
                       org-roam-verbose nil)
                 (require 'org-roam)
                 (org-roam-db-sync))))
    (with-current-buffer buffer (erase-buffer))
    (setq lore-roam-sync-state 'running)
    (setq lore--roam-process
          (make-process
           :name "lore sync" :buffer buffer :noquery t :connection-type 'pipe
           :command (list (expand-file-name invocation-name invocation-directory)
                          "-Q" "--batch" "--eval"
                          (let ((print-length nil) (print-level nil)) (prin1-to-string form)))
           :sentinel (lambda (process _event)
                       (unless (or (process-live-p process) (process-get process 'lore-cancelled))
                         (lore--roam-synced root names (process-exit-status process))))))
    (force-mode-line-update t)
    (message "Lore: syncing %s..." (lore-vault-name root))))

(defun lore--roam-synced (root names exit)
  "Note that the database of ROOT has the files NAMES, if EXIT is 0."
  (setq lore-roam-sync-state (if (eql exit 0) 'done 'failed))
  (cond ((eql exit 0)
         (with-temp-file (lore--roam-stamp root)
           (insert names))
         (message "Lore: syncing %s...done" (lore-vault-name root)))
        (t
         (message "Lore: cannot sync %s; see the buffer \" *lore sync*\"" (lore-vault-name root))))
  (force-mode-line-update t))

;;;###autoload
(defun lore-roam-find ()
  "Find a node of the vault with org-roam, entering its profile first."
  (interactive)
  (unless lore--roam-root
    (lore-roam-enter (lore-current-vault)))
  (call-interactively #'org-roam-node-find))

(provide 'lore-roam)
;;; lore-roam.el ends here
