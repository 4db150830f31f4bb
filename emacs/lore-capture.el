;;; lore-capture.el --- Save a note after looking for similar pages  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `lore-capture' opens a buffer for a note.  Before it is written, pages
;; with a similar content are shown, and you decide whether to add to one of
;; them or to write a new page.

;;; Code:

(require 'lore-save)
(require 'lore-view)

(defvar-local lore--capture-root nil
  "Root of the vault that the note is for.")

(defvar-local lore--capture-title nil
  "Title of the note, or nil.")

(defvar-local lore--capture-tags nil
  "Tags of the note.")

(defvar lore-capture-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'lore-capture-finish)
    (define-key map (kbd "C-c C-k") #'lore-capture-cancel)
    map)
  "Keys of a note that is being written.")

(define-minor-mode lore-capture-mode
  "Mode of a buffer with a note that is not saved yet."
  :lighter " Capture"
  :keymap lore-capture-mode-map)

(defun lore--read-tags (root)
  "Ask for tags of a note in the vault at ROOT."
  (let ((known (lore-result-data (lore-call-sync root '("tags")))))
    (delete "" (completing-read-multiple
                "Tags (empty for none): "
                (mapcar (lambda (tag) (alist-get 'tag tag))
                        (alist-get 'tags known))))))

;;;###autoload
(defun lore-capture (&optional title)
  "Write a note with TITLE to the vault; with an active region, that text.
\\<lore-capture-mode-map>\\[lore-capture-finish] looks for similar pages and saves it, \
\\[lore-capture-cancel] cancels."
  (interactive (list (let ((title (read-string "Title (empty: the first sentence): ")))
                       (unless (string-blank-p title) title))))
  (let ((root (lore-current-vault))
        (text (when (use-region-p)
                (buffer-substring-no-properties (region-beginning) (region-end))))
        (buffer (generate-new-buffer "*lore-capture*")))
    (pop-to-buffer buffer)
    (text-mode)
    (lore-capture-mode 1)
    (setq lore--capture-root root
          lore--capture-title title
          header-line-format
          (substitute-command-keys
           (format "%s in %s.  Save: \\<lore-capture-mode-map>\\[lore-capture-finish], cancel: \\[lore-capture-cancel]"
                   (or title "A note") (lore-vault-name root))))
    (when text
      (insert text))))

(defun lore-capture-cancel ()
  "Discard the note."
  (interactive)
  (lore--capture-close (current-buffer)))

(defun lore--capture-close (buffer)
  "Close BUFFER and its windows."
  (dolist (window (get-buffer-window-list buffer nil t))
    (quit-window nil window))
  (when (buffer-live-p buffer)
    (kill-buffer buffer)))

(defun lore-capture-finish (&optional with-tags)
  "Save the note; if there are similar pages, choose what to do first.
With a prefix argument WITH-TAGS, ask for tags."
  (interactive "P")
  (when (string-blank-p (buffer-string))
    (user-error "The note is empty"))
  (when with-tags
    (setq lore--capture-tags (lore--read-tags lore--capture-root)))
  (lore--capture (current-buffer) nil))

(defun lore--capture (buffer options)
  "Save the note in BUFFER with further OPTIONS of `lore capture'."
  (with-current-buffer buffer
    (let ((root lore--capture-root))
      (lore-with-data
       root
       (append '("capture") options
               (when (and lore--capture-title (not (member "--extend" options)))
                 (list (concat "--title=" lore--capture-title)))
               (mapcar (lambda (tag) (concat "--tag=" tag)) lore--capture-tags))
       (lambda (data)
         (if (equal (alist-get 'outcome data) "similar")
             (lore--capture-choose buffer root data)
           (lore--captured buffer root data)))
       (buffer-substring-no-properties (point-min) (point-max))))))

(defun lore--captured (buffer root data)
  "Visit the page that the note in BUFFER became in ROOT; DATA describes it."
  (lore--capture-close buffer)
  (run-hook-with-args 'lore-after-save-functions root)
  (lore-open root (alist-get 'path data))
  (message "Lore: %s %s" (alist-get 'outcome data) (alist-get 'path data)))

(defun lore-show-similar (root data)
  "Show the pages of the vault at ROOT that are similar to a note.
DATA is the output of `lore capture'; return the buffer."
  (lore-with-view (format "*lore-similar: %s*" (lore-vault-name root)) root nil
    (lore-heading "Similar pages; nothing is written yet")
    (insert "\n")
    (dolist (page (alist-get 'similar data))
      (lore-page-button (alist-get 'title page) root (alist-get 'slug page))
      (insert (format "  %d%% alike by %s\n" (round (* 100 (alist-get 'likeness page)))
                      (alist-get 'by page)))
      (when-let ((summary (alist-get 'summary page)))
        (insert "    " summary "\n")))))

(defun lore--capture-choose (buffer root data)
  "Ask what becomes of the note in BUFFER, given similar pages in DATA of ROOT."
  (let* ((window (display-buffer (lore-show-similar root data)))
         (pages (mapcar (lambda (page)
                          (cons (format "Add to %s" (alist-get 'title page)) page))
                        (alist-get 'similar data)))
         (choice (unwind-protect
                     (completing-read "There are similar pages: "
                                      (append (mapcar #'car pages)
                                              '("Write a new page" "Go on editing"))
                                      nil t)
                   (quit-window nil window)))
         (page (cdr (assoc choice pages))))
    (cond (page (lore--capture buffer (list "--extend" (alist-get 'slug page)
                                            "--expected-version"
                                            (number-to-string (alist-get 'version page)))))
          ((equal choice "Write a new page") (lore--capture buffer '("--keep"))))))

(provide 'lore-capture)
;;; lore-capture.el ends here
