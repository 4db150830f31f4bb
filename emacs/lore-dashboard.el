;;; lore-dashboard.el --- The state of a vault at a glance  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `lore-dashboard' shows the vault, its repository, what needs attention
;; and what changed last; `lore-check' lists invalid pages and contradictions
;; in a buffer whose lines jump to the place.

;;; Code:

(require 'lore-roam)
(require 'lore-save)
(require 'lore-search)

(defvar lore-dashboard-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map lore-view-mode-map)
    (define-key map "f" #'lore-find)
    (define-key map "s" #'lore-search)
    (define-key map "?" #'lore-query)
    (define-key map "m" #'lore-map)
    (define-key map "c" #'lore-capture)
    (define-key map "k" #'lore-check)
    (define-key map "w" #'lore-save-pending)
    (define-key map "P" #'lore-push)
    (define-key map "a" #'lore-roam-enter)
    (define-key map "A" #'lore-roam-exit)
    (define-key map "y" #'lore-roam-sync)
    map)
  "Keys of the dashboard.")

(declare-function lore-map "lore-map" (&optional around))
(declare-function lore-capture "lore-capture" (&optional title))

(define-derived-mode lore-dashboard-mode lore-view-mode "Lore-Dashboard"
  "The state of a vault.
\\{lore-dashboard-mode-map}")

(defun lore--dashboard-buffer (root)
  "Return the name of the dashboard of the vault at ROOT."
  (format "*lore: %s*" (lore-vault-name root)))

(defun lore--row (name value &optional face)
  "Insert a line with NAME and VALUE in FACE, unless VALUE is nil."
  (when value
    (insert (format "  %-14s" name) (if face (propertize value 'face face) value) "\n")))

(defun lore--counted (count noun)
  "Return COUNT with NOUN in singular or plural."
  (format "%d %s%s" count noun (if (eql count 1) "" "s")))

(defun lore--sync-text (root)
  "Return the state of the org-roam database of the vault at ROOT, as text."
  (let ((database (lore-roam-database root)))
    (concat (pcase (and (equal root lore--roam-root) lore-roam-sync-state)
              ('running "syncing...")
              ('failed "the last sync failed; see \" *lore sync*\"")
              (_ (cond ((not (file-exists-p database)) "not synced")
                       ((lore-roam-stale-p root) "out of date")
                       (t "up to date"))))
            (when (file-exists-p database)
              (format-time-string ", last sync %F %R"
                                  (file-attribute-modification-time
                                   (file-attributes database)))))))

(defun lore--dashboard-git (git)
  "Insert the state of the repository in GIT."
  (lore--row "Branch"
             (if (alist-get 'repository git)
                 (format "%s%s" (alist-get 'branch git)
                         (if (alist-get 'remote git) "" ", no remote"))
               "no repository"))
  (when (alist-get 'remote git)
    (let ((ahead (alist-get 'ahead git)) (behind (alist-get 'behind git)))
      (lore--row "Unpushed" (if (eql ahead 0) "none" (lore--counted ahead "commit"))
                 (unless (eql ahead 0) 'warning))
      (unless (eql behind 0)
        (lore--row "Behind" (lore--counted behind "commit") 'warning))))
  (let ((uncommitted (alist-get 'uncommitted git)))
    (lore--row "Uncommitted" (if uncommitted (lore--counted (length uncommitted) "file") "none")
               (when uncommitted 'warning))))

(defun lore-show-dashboard (root status git recent)
  "Show the dashboard of the vault at ROOT; return the buffer.
STATUS, GIT and RECENT are the output of `lore status', `lore git status'
and `lore recent'."
  (with-current-buffer (get-buffer-create (lore--dashboard-buffer root))
    (unless (derived-mode-p 'lore-dashboard-mode)
      (lore-dashboard-mode))
    (lore-with-view (buffer-name) root (lambda () (lore--dashboard root))
      (lore-heading (format "%s  %s" (alist-get 'project status)
                            (abbreviate-file-name (alist-get 'path status))))
      (lore--row "Profile" (or (alist-get 'profile status) "none"))
      (lore--row "Pages" (format "%d, %s" (alist-get 'pages status)
                                 (lore--counted (alist-get 'links status) "link")))
      (lore--row "Last index" (alist-get 'last_index status))
      (lore--row "Search" (alist-get 'search status))
      (lore--dashboard-git git)
      (lore--row "Curation" (if (alist-get 'curation_due status) "due" "not due")
                 (when (alist-get 'curation_due status) 'warning))
      (lore--row "org-roam" (concat (if (equal root lore--roam-root) "entered, " "")
                                    (lore--sync-text root)))
      (lore--dashboard-attention root status git)
      (lore--dashboard-recent root recent)
      (insert (propertize "\nf find  s search  ? query  m map  c capture  k check  \
w commit  P push  a enter  A exit  y sync  g refresh\n" 'face 'shadow)))))

(defun lore--dashboard-attention (root status git)
  "Insert what needs attention in the vault at ROOT, from STATUS and GIT."
  (let ((findings (lore-state-findings (lore--state root)))
        (warnings (seq-uniq (append (alist-get 'warnings status) (alist-get 'warnings git))))
        (uncommitted (alist-get 'uncommitted git)))
    (when (or findings warnings uncommitted)
      (insert "\n")
      (lore-heading "Needs attention")
      (dolist (finding findings)
        (insert "  ")
        (lore-button (format "%s:%d" (alist-get 'path finding) (or (alist-get 'line finding) 1))
                     root (alist-get 'path finding) (alist-get 'line finding))
        (insert "  " (propertize (alist-get 'message finding) 'face 'error) "\n"))
      (dolist (path uncommitted)
        (insert "  ")
        (lore-button path root path)
        (insert "  not committed\n"))
      (dolist (warning warnings)
        (insert "  " (propertize warning 'face 'warning) "\n")))))

(defun lore--dashboard-recent (root recent)
  "Insert the pages of RECENT of the vault at ROOT."
  (when-let ((pages (alist-get 'pages recent)))
    (insert "\n")
    (lore-heading "Changed last")
    (dolist (page (seq-take pages 10))
      (insert (format "  %s  " (substring (alist-get 'updated page) 0 10)))
      (lore-button (alist-get 'title page) root (alist-get 'path page))
      (when-let ((summary (alist-get 'summary page)))
        (insert (propertize (concat "  " (lore--one-line summary 60)) 'face 'shadow)))
      (insert "\n"))))

(defun lore--dashboard (root &optional then)
  "Fill the dashboard of the vault at ROOT, and call THEN with its buffer."
  (lore-with-data
   root '("status")
   (lambda (status)
     (lore-with-data
      root '("git" "status")
      (lambda (git)
        (setf (lore-state-git (lore--state root)) git
              (lore-state-checked (lore--state root)) t)
        (lore-with-data
         root '("list" "--limit" "10")
         (lambda (recent)
           (let ((buffer (lore-show-dashboard root status git recent)))
             (when then
               (funcall then buffer))))))))))

;;;###autoload
(defun lore-dashboard ()
  "Show the state of the vault: pages, repository, what needs attention."
  (interactive)
  (lore--dashboard (lore-current-vault) #'pop-to-buffer))

(defun lore--dashboard-follow (root)
  "Fill the dashboard of the vault at ROOT again if it is open."
  (when (get-buffer (lore--dashboard-buffer root))
    (lore--dashboard root)))

(add-hook 'lore-after-save-functions #'lore--dashboard-follow)

;;;###autoload
(defun lore-push ()
  "Push the commits of the vault, without waiting."
  (interactive)
  (let ((root (lore-current-vault)))
    (message "Lore: pushing...")
    (lore-call root '("git" "push")
               (lambda (result)
                 (message "Lore: %s" (or (lore-result-text result)
                                         (alist-get 'message (lore-result-data result))))
                 (setf (lore-state-checked (lore--state root)) nil
                       (lore-state-git (lore--state root)) nil)
                 (lore--look root)
                 (lore--dashboard-follow root)))))

;;; Check

(defun lore--contradiction-lines (data)
  "Return the lines of the contradictions in DATA, the output of `lore check'."
  (mapcan (lambda (finding)
            (let ((message (alist-get 'message finding)))
              (mapcar (lambda (place)
                        (lore--finding-line
                         `((path . ,(alist-get 'path place)) (line . ,(alist-get 'line place))
                           (message . ,message) (kind . ,(alist-get 'kind finding)))))
                      (alist-get 'places finding))))
          (alist-get 'findings data)))

(defun lore-show-check (root lint check)
  "Show invalid pages and contradictions of the vault at ROOT.
LINT and CHECK are the output of `lore lint' and `lore check'; return the
buffer."
  (let ((findings (mapcar #'lore--finding-line (alist-get 'findings lint)))
        (contradictions (lore--contradiction-lines check)))
    (lore--fill-findings
     root
     (append (list (format "%s, %s, %s\n\n"
                           (lore--counted (alist-get 'errors lint) "error")
                           (lore--counted (alist-get 'warnings lint) "warning")
                           (lore--counted (length (alist-get 'findings check)) "contradiction")))
             findings
             (when contradictions (list "\nContradictions:\n"))
             contradictions))))

;;;###autoload
(defun lore-check ()
  "Check the vault: list invalid pages and contradictions."
  (interactive)
  (let ((root (lore-current-vault)))
    (message "Lore: checking...")
    (lore-with-data
     root '("lint")
     (lambda (lint)
       (lore-with-data
        root '("check")
        (lambda (check)
          (message nil)
          (display-buffer (lore-show-check root lint check))))))))

(provide 'lore-dashboard)
;;; lore-dashboard.el ends here
