;;; lore-complete.el --- Complete links to pages  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; After "[[", the titles of the vault's pages complete the link.  A
;; Markdown page gets "[[Title]]", an Org page "[[id:UUID][Title]]".

;;; Code:

(require 'lore-save)
(require 'lore-search)

(defcustom lore-completion-age 30
  "Seconds after which the titles for completion are read again."
  :group 'lore
  :type 'natnum)

(defvar lore--titles (make-hash-table :test #'equal)
  "Titles for completion by the root of a vault: (TIME PROCESS . NAMES).")

(defun lore--names (root)
  "Return the pages of the vault at ROOT by name.
Only the first time they are waited for; later they are read in the
background."
  (let ((known (gethash root lore--titles)))
    (cond ((null known)
           (puthash root (cl-list* (float-time) nil (lore-page-names (lore-pages root)))
                    lore--titles))
          ((and (> (- (float-time) (car known)) lore-completion-age)
                (not (process-live-p (cadr known))))
           (setf (cadr known) (lore--read-names root))))
    (cddr (gethash root lore--titles))))

(defun lore--read-names (root)
  "Read the pages of the vault at ROOT in the background."
  (lore-call root '("list" "--limit" "1000000")
             (lambda (result)
               (when-let ((data (lore-result-data result)))
                 (puthash root (cl-list* (float-time) nil
                                         (lore-page-names (alist-get 'pages data)))
                          lore--titles)))))

(defun lore--forget-names (root)
  "Read the pages of the vault at ROOT again at the next completion."
  (when-let ((known (gethash root lore--titles)))
    (setf (car known) 0)))

(add-hook 'lore-after-save-functions #'lore--forget-names)

(defun lore--link-start ()
  "Return the start of the text of the link before point, or nil."
  (save-excursion
    (let ((end (point)))
      (when (and (search-backward "[[" (line-beginning-position) t)
                 (not (string-match-p "]\\|id:\\|file:\\|https?:"
                                      (buffer-substring-no-properties (point) end))))
        (+ (point) 2)))))

(defun lore-link-to (root page)
  "Return a link to PAGE of the vault at ROOT in the format of this buffer."
  (let ((title (alist-get 'title page)))
    (if (derived-mode-p 'org-mode)
        (let* ((about (lore-data root "show" (alist-get 'slug page)))
               (id (alist-get 'id (alist-get 'properties about))))
          (format "[[%s][%s]]"
                  (if id
                      (concat "id:" id)
                    (concat "file:" (file-relative-name
                                     (expand-file-name (alist-get 'path page) root))))
                  title))
      (format "[[%s]]" (if (assoc title (lore--names root)) title (alist-get 'slug page))))))

(defun lore--complete-link (root start name)
  "Replace the text from START by a link to the page NAME of the vault at ROOT."
  (when-let ((page (cdr (assoc name (lore--names root)))))
    (let ((link (lore-link-to root page)))
      (delete-region (- start 2) (point))
      ;; An electric pair or an earlier link may have closed it already.
      (when (looking-at "]]?")
        (delete-region (point) (match-end 0)))
      (insert link))))

;;;###autoload
(defun lore-completion-at-point ()
  "Complete the title of a page after \"[[\"."
  (when-let* ((root lore--root)
              (start (lore--link-start)))
    (list start (point)
          (lore-page-table (lore--names root))
          :exclusive 'no
          :exit-function (lambda (name status)
                           (when (memq status '(finished sole exact))
                             (lore--complete-link root start name))))))

(provide 'lore-complete)
;;; lore-complete.el ends here
