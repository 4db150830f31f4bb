;;; lore-process.el --- Run Lore and find vaults  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Every command of Lore prints one JSON object with `--json'.  `lore-call'
;; runs one without blocking Emacs and passes the object to a function;
;; `lore-call-sync' waits for it, and C-g ends both.  This file also finds
;; the vault of a buffer.

;;; Code:

(require 'cl-lib)
(require 'json)
(require 'seq)
(require 'subr-x)

(defgroup lore nil
  "A memory of people and their agents in plain files."
  :group 'applications
  :prefix "lore-")

(defcustom lore-executable "lore"
  "Name or path of the program `lore'."
  :group 'lore
  :type 'string)

(defcustom lore-default-vault nil
  "Vault of commands that are called outside of any vault.
If it is nil, such a command asks for one of the registered vaults."
  :group 'lore
  :type '(choice (const :tag "Ask" nil) directory))

(cl-defstruct (lore-result (:copier nil))
  "What a command returned.
DATA is the parsed output or nil; MESSAGE and HINT describe an error."
  exit data message hint)

;;; Running commands

(defun lore--parse (text)
  "Parse TEXT as JSON: objects are alists, arrays lists; nil if it is none."
  (condition-case nil
      (if (fboundp 'json-parse-string)
          (json-parse-string text :object-type 'alist :array-type 'list
                             :null-object nil :false-object nil)
        (let ((json-object-type 'alist) (json-array-type 'list)
              (json-null nil) (json-false nil))
          (json-read-from-string text)))
    (error nil)))

(defun lore--environment ()
  "Return the environment of a command.
The working directory decides the vault, not the variable of a shell."
  (append '("LORE_PROJECT" "NO_COLOR=1") process-environment))

(defun lore--result (exit output errors)
  "Return the result of a command with status EXIT, OUTPUT and ERRORS."
  (let* ((data (lore--parse output))
         (failure (and (null data)
                       (seq-some (lambda (line) (alist-get 'error (lore--parse line)))
                                 (split-string errors "\n" t)))))
    (make-lore-result
     :exit exit :data data
     :message (cond (failure (alist-get 'message failure))
                    (data nil)
                    ((equal (string-trim errors) "") (format "lore exited with %s" exit))
                    (t (string-trim errors)))
     :hint (alist-get 'hint failure))))

(defun lore-result-text (result)
  "Return the error of RESULT as text for the echo area, or nil."
  (when-let ((message (lore-result-message result)))
    (if-let ((hint (lore-result-hint result)))
        (format "%s (%s)" message hint)
      message)))

(defun lore-call (root arguments callback &optional input)
  "Run `lore' in ROOT with ARGUMENTS; call CALLBACK with its `lore-result'.
INPUT is its standard input.  Return the process.  CALLBACK is not
called if the process is deleted."
  (let* ((default-directory (file-name-as-directory (or root default-directory)))
         (process-environment (lore--environment))
         (output (generate-new-buffer " *lore output*" t))
         (errors (generate-new-buffer " *lore errors*" t))
         (pipe (make-pipe-process :name "lore errors" :buffer errors :noquery t
                                  :coding 'utf-8-unix :sentinel #'ignore))
         (program (or (executable-find lore-executable)
                      (progn
                        (delete-process pipe)
                        (mapc #'kill-buffer (list output errors))
                        (user-error "There is no program %s; set `lore-executable'"
                                    lore-executable))))
         (process (make-process
                   :name "lore" :buffer output :noquery t
                   :command (append (list program "--json") arguments)
                   :connection-type 'pipe :coding 'utf-8-unix
                   :stderr pipe
                   :sentinel (lambda (process _event) (lore--settle process)))))
    (process-put process 'lore-ended (lambda () (lore--ended process pipe callback)))
    (push process lore--processes)
    ;; A command that fails at once may have ended already.
    (ignore-errors
      (when input
        (process-send-string process input))
      (process-send-eof process))
    process))

(defvar lore--processes nil
  "Commands that run.")

(defun lore--settle (process)
  "Handle the end of PROCESS, once."
  (unless (process-live-p process)
    (setq lore--processes (delq process lore--processes))
    (when-let ((ended (process-get process 'lore-ended)))
      (process-put process 'lore-ended nil)
      (funcall ended))))

(defun lore-wait (process)
  "Wait a moment for output of PROCESS, or of any if it is nil.
Emacs runs no sentinel while events wait to be read, such as those of file
notifications, so the end of a process is looked for."
  (accept-process-output process 0.02)
  (mapc #'lore--settle (copy-sequence lore--processes)))

(defun lore--ended (process pipe callback)
  "Call CALLBACK with the result of PROCESS, whose errors come through PIPE."
  ;; Both pipes may still hold text when the process has ended.
  (while (accept-process-output process 0))
  (while (accept-process-output pipe 0))
  (let* ((text (lambda (buffer)
                 (if (buffer-live-p buffer)
                     (with-current-buffer buffer (buffer-string))
                   "")))
         (output (process-buffer process))
         (errors (process-buffer pipe))
         (result (lore--result (process-exit-status process)
                               (funcall text output) (funcall text errors)))
         (killed (process-get process 'lore-cancelled)))
    (delete-process pipe)
    (mapc #'kill-buffer (list output errors))
    (unless killed
      (funcall callback result))))

(defun lore-cancel (process)
  "End PROCESS, so that its callback is not called."
  (when (process-live-p process)
    (process-put process 'lore-cancelled t)
    (delete-process process)))

(defun lore-call-sync (root arguments &optional input)
  "Run `lore' in ROOT with ARGUMENTS and return its `lore-result'.
INPUT is its standard input.  Quitting ends the command."
  (let* ((result nil)
         (process (lore-call root arguments (lambda (done) (setq result done)) input)))
    (unwind-protect
        (while (null result)
          (lore-wait process))
      (unless result
        (lore-cancel process)))
    result))

(defun lore-data (root &rest arguments)
  "Run `lore' in ROOT with ARGUMENTS and return its output; signal its error."
  (let ((result (lore-call-sync root arguments)))
    (or (lore-result-data result)
        (user-error "%s" (lore-result-text result)))))

;;; Vaults

(defvar lore--registered 'unknown
  "Directories of the registered vaults; `unknown' until they are looked up.")

(defun lore--directory (path)
  "Return the directory PATH, with symlinks resolved and a slash at its end."
  (file-name-as-directory (file-truename path)))

(defun lore--vaults (&optional again)
  "Return the registered vaults as directories; look AGAIN if non-nil."
  (when (or again (eq lore--registered 'unknown))
    (setq lore--registered
          (and (executable-find lore-executable)
               (let ((data (lore-result-data
                            (lore-call-sync user-emacs-directory '("project" "list")))))
                 (mapcar (lambda (project) (lore--directory (alist-get 'path project)))
                         (alist-get 'projects data))))))
  lore--registered)

(defun lore-vault-of (file)
  "Return the root of the vault that FILE is in, or nil.
A vault has a lore.toml at its root, or is registered."
  (unless (or (null file) (file-remote-p file))
    (let ((policy (locate-dominating-file file "lore.toml")))
      (if policy
          (lore--directory policy)
        (let ((real (file-truename file)))
          (seq-find (lambda (root) (string-prefix-p root real)) (lore--vaults)))))))

(defvar lore--roam-root nil
  "Root of the vault whose org-roam profile is installed, or nil.")

(defun lore-current-vault ()
  "Return the root of the vault that a command works on."
  (or (lore-vault-of (or (buffer-file-name (buffer-base-buffer)) default-directory))
      lore--roam-root
      (and lore-default-vault (lore--directory lore-default-vault))
      (let ((vaults (lore--vaults t)))
        (cond ((null vaults)
               (user-error "There is no vault; make one with `lore init'"))
              ((cdr vaults)
               (lore--directory (completing-read "Vault: " vaults nil t)))
              (t (car vaults))))))

(defun lore-vault-name (root)
  "Return a short name of the vault at ROOT."
  (file-name-nondirectory (directory-file-name root)))

(defun lore--path-in (root file)
  "Return the path of FILE relative to ROOT."
  (file-relative-name (file-truename file) root))

(defun lore-raw-folder (root)
  "Return the folder of raw captures in the vault at ROOT, or nil."
  (let ((policy (expand-file-name "lore.toml" root)))
    (when (file-readable-p policy)
      (with-temp-buffer
        (insert-file-contents policy)
        (when (re-search-forward "^\\[raw\\]" nil t)
          (let ((end (save-excursion (if (re-search-forward "^\\[" nil t) (point) (point-max)))))
            (and (re-search-forward "^folder *= *\"\\([^\"]+\\)\"" end t)
                 (file-name-as-directory (match-string 1)))))))))

(provide 'lore-process)
;;; lore-process.el ends here
