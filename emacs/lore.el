;;; lore.el --- A memory of people and their agents in plain files  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; URL: https://github.com/lore-memory/lore
;; Keywords: outlines, hypermedia, convenience

;;; Commentary:

;; Lore keeps what people and their agents know in Markdown and Org files.
;; This package edits and browses its vaults:
;;
;; - `global-lore-mode' takes saved edits through the write path of Lore:
;;   they are indexed, checked and committed, or the findings are shown;
;; - `lore-dashboard', `lore-find', `lore-search', `lore-query', `lore-show',
;;   `lore-backlinks', `lore-map', `lore-capture' and `lore-check' browse;
;; - `lore-roam-enter' and `lore-roam-exit' switch org-roam to a vault and
;;   back, with everything that belongs to your own notes restored;
;; - the titles of pages complete links after "[[".
;;
;; To use it from a folder:
;;
;;   (add-to-list 'load-path "~/lore/emacs")
;;   (require 'lore)
;;   (global-lore-mode 1)
;;
;; The commands are below `lore-keymap-prefix' (C-c n) in the buffers of a
;; vault, and in `lore-menu'.

;;; Code:

(require 'lore-process)
(require 'lore-save)
(require 'lore-search)
(require 'lore-map)
(require 'lore-capture)
(require 'lore-complete)
(require 'lore-roam)
(require 'lore-dashboard)
(require 'transient)

(transient-define-prefix lore-menu ()
  "Commands of Lore."
  [["Find"
    ("f" "page by title" lore-find)
    ("s" "search as you type" lore-search)
    ("?" "ask a question" lore-query)
    ("w" "pointer at point" lore-show)]
   ["Look"
    ("d" "dashboard" lore-dashboard)
    ("b" "backlinks" lore-backlinks)
    ("m" "map" lore-map)
    ("k" "check" lore-check)]
   ["Write"
    ("c" "capture" lore-capture)
    ("S" "commit pending edits" lore-save-pending)
    ("P" "push" lore-push)]
   ["org-roam"
    ("a" "enter the vault" lore-roam-enter)
    ("A" "back to your own notes" lore-roam-exit)
    ("y" "sync the database" lore-roam-sync)]])

(defvar lore-prefix-map
  (let ((map (make-sparse-keymap)))
    ;; The labels are shown by which-key.
    (define-key map "f" '("page by title" . lore-find))
    (define-key map "s" '("search" . lore-search))
    (define-key map "?" '("ask" . lore-query))
    (define-key map "w" '("show pointer" . lore-show))
    (define-key map "d" '("dashboard" . lore-dashboard))
    (define-key map "b" '("backlinks" . lore-backlinks))
    (define-key map "m" '("map" . lore-map))
    (define-key map "k" '("check" . lore-check))
    (define-key map "c" '("capture" . lore-capture))
    (define-key map "S" '("commit pending" . lore-save-pending))
    (define-key map "P" '("push" . lore-push))
    (define-key map "a" '("enter org-roam" . lore-roam-enter))
    (define-key map "A" '("exit org-roam" . lore-roam-exit))
    (define-key map "y" '("sync org-roam" . lore-roam-sync))
    (define-key map "n" '("menu" . lore-menu))
    map)
  "Commands of Lore; bind it to a key of your own to have them everywhere.")

(fset 'lore-prefix-map lore-prefix-map)

(defun lore--set-prefix (symbol value)
  "Bind the commands to the key VALUE in `lore-mode'; it becomes SYMBOL's."
  (let ((old (and (boundp symbol) (symbol-value symbol))))
    (dolist (map (list lore-mode-map lore-view-mode-map))
      (when old
        (define-key map (kbd old) nil))
      (when value
        (define-key map (kbd value) 'lore-prefix-map))))
  (set-default symbol value))

(defcustom lore-keymap-prefix "C-c n"
  "Key of the commands of Lore in the buffers of a vault; nil for none.
Set it with `customize-set-variable' or \\[customize-option]."
  :group 'lore
  :type '(choice (const :tag "None" nil) string)
  :set #'lore--set-prefix
  :initialize #'custom-initialize-set)

;; After a crash while org-roam was switched, the init file may have been
;; given values of the vault by Customize or a saved session.
(if after-init-time
    (lore-roam-recover)
  (add-hook 'emacs-startup-hook #'lore-roam-recover))

(provide 'lore)
;;; lore.el ends here
