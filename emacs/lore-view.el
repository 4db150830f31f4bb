;;; lore-view.el --- Buffers with pages of a vault  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The mode of all buffers that list pages (dashboard, search, answers,
;; backlinks, map), and the buttons that jump to a page and a line.

;;; Code:

(require 'button)
(require 'lore-process)

(defvar-local lore-view-root nil
  "Root of the vault that a buffer shows.")

(defvar-local lore-view-refresh nil
  "Function that fills the buffer again.")

(defvar lore-view-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap button-buffer-map special-mode-map))
    (define-key map "n" #'forward-button)
    (define-key map "p" #'backward-button)
    (define-key map "g" #'lore-view-again)
    map)
  "Keys of buffers that list pages.")

(define-derived-mode lore-view-mode special-mode "Lore"
  "Lists pages of a vault; RET opens the one at point."
  (setq-local truncate-lines nil)
  (setq-local word-wrap t))

(defun lore-view-again ()
  "Fill the buffer again."
  (interactive)
  (if lore-view-refresh
      (funcall lore-view-refresh)
    (user-error "Nothing to refresh")))

(defun lore-open (root path &optional line id)
  "Visit PATH of the vault at ROOT, at LINE or at the heading with ID."
  (pop-to-buffer-same-window (find-file-noselect (expand-file-name path root)))
  (when (or line id)
    (widen)
    (goto-char (point-min))
    (cond ((and id (derived-mode-p 'org-mode)
                (re-search-forward (format "^[ \t]*:ID:[ \t]+%s[ \t]*$" (regexp-quote id)) nil t)
                (re-search-backward "^\\*+ " nil t)))
          (line (forward-line (1- line)))
          (t (goto-char (point-min)))))
  (when (fboundp 'org-reveal)
    (when (derived-mode-p 'org-mode)
      (org-reveal))))

(declare-function org-reveal "org")

(defun lore-open-reference (root reference)
  "Visit the page of the vault at ROOT that REFERENCE means."
  (lore-open root (alist-get 'path (lore-data root "show" reference))))

(defun lore-button (label root path &optional line help)
  "Insert a button LABEL that visits PATH of the vault at ROOT at LINE.
HELP is its tooltip."
  (insert-text-button label
                      'follow-link t
                      'help-echo (or help (format "%s%s" path (if line (format ":%d" line) "")))
                      'lore-path path 'lore-line line
                      'action (lambda (_button) (lore-open root path line))))

(defun lore-page-button (label root slug)
  "Insert a button LABEL that visits the page SLUG of the vault at ROOT."
  (insert-text-button label
                      'follow-link t 'help-echo slug 'lore-slug slug
                      'action (lambda (_button) (lore-open-reference root slug))))

(defun lore-action-button (label function &optional help)
  "Insert a button LABEL for the command FUNCTION; HELP is its tooltip."
  (insert-text-button label 'follow-link t 'help-echo help
                      'action (lambda (_button) (call-interactively function))))

(defun lore-heading (text)
  "Insert TEXT as a heading."
  (insert (propertize text 'face 'bold) "\n"))

(defmacro lore-with-view (name root refresh &rest body)
  "Fill the buffer NAME about the vault at ROOT by BODY; return the buffer.
REFRESH fills it again.  Point stays on its line."
  (declare (indent 3) (debug t))
  `(with-current-buffer (get-buffer-create ,name)
     (unless (derived-mode-p 'lore-view-mode)
       (lore-view-mode))
     (let ((inhibit-read-only t)
           (line (line-number-at-pos)))
       (setq lore-view-root ,root
             lore-view-refresh ,refresh
             default-directory ,root)
       (erase-buffer)
       ,@body
       (goto-char (point-min))
       (forward-line (1- line)))
     (current-buffer)))

(defun lore-fail (result)
  "Signal the error of RESULT as a message."
  (message "Lore: %s" (lore-result-text result)))

(defun lore-with-data (root arguments function &optional input)
  "Run `lore' in ROOT with ARGUMENTS and INPUT; call FUNCTION with its output.
An error is shown in the echo area."
  (lore-call root arguments
             (lambda (result)
               (if (lore-result-data result)
                   (funcall function (lore-result-data result))
                 (lore-fail result)))
             input))

(provide 'lore-view)
;;; lore-view.el ends here
