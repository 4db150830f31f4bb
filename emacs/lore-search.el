;;; lore-search.el --- Find pages and answers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `lore-find' opens a page by its title, `lore-search' searches while you
;; type, `lore-query' asks a question and shows passages with their places,
;; `lore-show' follows the pointer at point, `lore-backlinks' lists the links
;; to a page.

;;; Code:

(require 'lore-view)
(require 'thingatpt)

(defcustom lore-search-delay 0.15
  "Seconds without typing after which `lore-search' searches."
  :group 'lore
  :type 'number)

(defcustom lore-search-limit 30
  "Maximum number of pages that `lore-search' shows."
  :group 'lore
  :type 'natnum)

;;; Pages by title

(defun lore-pages (root)
  "Return all pages of the vault at ROOT, most recently changed first."
  (alist-get 'pages (lore-data root "list" "--limit" "1000000")))

(defun lore-page-names (pages)
  "Return an alist from unique names to PAGES.
A title that several pages have is followed by the slug."
  (let ((count (make-hash-table :test #'equal)))
    (dolist (page pages)
      (cl-incf (gethash (alist-get 'title page) count 0)))
    (mapcar (lambda (page)
              (let ((title (alist-get 'title page)))
                (cons (if (> (gethash title count) 1)
                          (format "%s (%s)" title (alist-get 'slug page))
                        title)
                      page)))
            pages)))

(defun lore-annotation (page)
  "Return the annotation of PAGE in a completion."
  (let ((summary (alist-get 'summary page)))
    (concat (propertize (format "  %s%s" (alist-get 'type page)
                                (if-let ((status (alist-get 'status page)))
                                    (concat ", " status) ""))
                        'face 'completions-annotations)
            (and summary
                 (propertize (concat "  " (truncate-string-to-width summary 70 nil nil "…"))
                             'face 'completions-annotations)))))

(defun lore-page-table (names)
  "Return a completion table of NAMES, an alist of names and pages."
  (lambda (text predicate action)
    (if (eq action 'metadata)
        `(metadata (category . lore-page)
                   (display-sort-function . identity)
                   (annotation-function
                    . ,(lambda (name) (lore-annotation (cdr (assoc name names))))))
      (complete-with-action action names text predicate))))

(defun lore-read-page (root prompt &optional require-match)
  "Ask with PROMPT for a page of the vault at ROOT.
Return the page, or the text that was entered unless REQUIRE-MATCH."
  (let* ((names (lore-page-names (lore-pages root)))
         (minibuffer-local-completion-map (lore--title-map))
         (name (completing-read prompt (lore-page-table names) nil require-match)))
    (or (cdr (assoc name names)) name)))

(defun lore--title-map ()
  "Return the keys of a completion of titles: a space is part of a title."
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map minibuffer-local-completion-map)
    (define-key map " " #'self-insert-command)
    map))

(defun lore--open-named (root name)
  "Open the page or heading of the vault at ROOT whose title or alias is NAME.
Return nil if there is none; a part of a name is not enough."
  (when-let* ((found (lore-result-data (lore-call-sync root (list "show" "--" name))))
              (about (or (alist-get 'node found) found))
              (names (append (list (alist-get 'title about))
                             (ensure-list (alist-get 'aliases about))
                             (ensure-list (alist-get 'aliases (alist-get 'properties about))))))
    (when (member-ignore-case name names)
      (lore-open root (alist-get 'path found) nil (alist-get 'id about))
      t)))

(declare-function lore-capture "lore-capture" (&optional title))

;;;###autoload
(defun lore-find ()
  "Open a page of the vault by its title.
An alias opens its page, and the title of an Org heading with an id that
heading.  A title that nothing has starts a capture."
  (interactive)
  (let* ((root (lore-current-vault))
         (page (lore-read-page root (format "Page of %s: " (lore-vault-name root)))))
    (cond ((listp page) (lore-open root (alist-get 'path page)))
          ((string-empty-p page) (user-error "No page is given"))
          ((lore--open-named root page))
          (t (lore-capture page)))))

;;; Search as you type

(defvar lore--search-process nil
  "The running search.")

(defvar lore--search-timer nil
  "The timer that starts the next search.")

(defvar lore-search-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map minibuffer-local-map)
    (define-key map (kbd "C-n") #'lore-search-next)
    (define-key map (kbd "C-p") #'lore-search-previous)
    (define-key map (kbd "<down>") #'lore-search-next)
    (define-key map (kbd "<up>") #'lore-search-previous)
    map)
  "Keys while `lore-search' reads.")

(defun lore--search-buffer (root)
  "Return the name of the buffer with hits in the vault at ROOT."
  (format "*lore-search: %s*" (lore-vault-name root)))

(defvar lore--search-hits nil
  "Buffer with the hits of the search that is being typed.")

(defun lore-search-next (&optional step)
  "Select the next hit, or the one STEP hits further."
  (interactive)
  (when (buffer-live-p lore--search-hits)
    (with-current-buffer lore--search-hits
      (when (forward-button (or step 1) nil nil t)
        (lore--search-mark)
        (dolist (window (get-buffer-window-list nil nil t))
          (set-window-point window (point)))))))

(defun lore-search-previous ()
  "Select the previous hit."
  (interactive)
  (lore-search-next -1))

(defvar-local lore--search-shown nil
  "The words whose hits the buffer shows.")

(defvar-local lore--search-overlay nil
  "Shows the hit that RET opens.")

(defun lore--search-mark ()
  "Highlight the hit at point."
  (unless lore--search-overlay
    (setq lore--search-overlay (make-overlay 1 1))
    (overlay-put lore--search-overlay 'face 'highlight))
  (move-overlay lore--search-overlay (line-beginning-position) (line-end-position)))

(defun lore-show-hits (root words data)
  "Show the hits of a search for WORDS in the vault at ROOT.
DATA is the output of `lore search'; return the buffer."
  (with-current-buffer
      (lore-with-view (lore--search-buffer root) root
          (lambda () (lore--search root words))
        (unless (alist-get 'hits data)
          (insert (if (string-blank-p words) "Type to search." "No page matches.") "\n"))
        (dolist (hit (alist-get 'hits data))
          (let ((excerpt (alist-get 'excerpt hit)))
            (lore-button (alist-get 'title hit) root
                         (or (alist-get 'path excerpt) (alist-get 'path hit))
                         (car (alist-get 'lines excerpt)))
            (insert "  " (propertize (alist-get 'slug hit) 'face 'shadow) "\n")
            (when excerpt
              (insert "    " (lore--one-line (alist-get 'text excerpt) 200) "\n")))))
    (setq lore--search-shown words)
    (goto-char (point-min))
    (when (button-at (point))
      (lore--search-mark))
    (current-buffer)))

(defun lore--one-line (text width)
  "Return TEXT on one line of at most WIDTH columns."
  (truncate-string-to-width (replace-regexp-in-string "[ \t\n]+" " " (string-trim text))
                            width nil nil "…"))

(defun lore--search (root words)
  "Search for WORDS in the vault at ROOT, and show the hits when they come."
  (when (process-live-p lore--search-process)
    (lore-cancel lore--search-process))
  (if (string-blank-p words)
      (lore-show-hits root words nil)
    (setq lore--search-process
          (lore-with-data root (list "search" "--limit" (number-to-string lore-search-limit)
                                     "--" words)
                          (lambda (data) (lore-show-hits root words data))))))

(defun lore--search-typed (root)
  "Search in the vault at ROOT for what is in the minibuffer, after a while."
  (when lore--search-timer
    (cancel-timer lore--search-timer))
  (let ((words (minibuffer-contents-no-properties)))
    (setq lore--search-timer
          (run-with-timer lore-search-delay nil #'lore--search root words))))

;;;###autoload
(defun lore-search (&optional initial)
  "Search the pages of the vault while you type, beginning with INITIAL.
\\<lore-search-map>\\[lore-search-next] and \\[lore-search-previous] select a hit, RET opens it."
  (interactive)
  (let* ((root (lore-current-vault))
         (buffer (lore-show-hits root "" nil))
         (window (display-buffer buffer
                                 '((display-buffer-reuse-window display-buffer-at-bottom)
                                   (window-height . 0.4) (inhibit-same-window . t))))
         (words (unwind-protect
                    (lore--search-read root buffer initial)
                  (when (window-live-p window)
                    (quit-window nil window)))))
    (unless (equal words "")
      (lore--search-open root buffer words))))

(defun lore--search-read (root buffer initial)
  "Read words, beginning with INITIAL; show their hits in ROOT in BUFFER."
  (setq lore--search-hits buffer)
  (unwind-protect
      (minibuffer-with-setup-hook
          (lambda ()
            (add-hook 'after-change-functions (lambda (&rest _) (lore--search-typed root)) nil t)
            (when initial
              (lore--search-typed root)))
        (read-from-minibuffer (format "Search %s: " (lore-vault-name root))
                              initial lore-search-map))
    ;; RET may come before the last search has begun or ended.
    (when lore--search-timer
      (cancel-timer lore--search-timer))
    (when (process-live-p lore--search-process)
      (lore-cancel lore--search-process))))

(defun lore--search-open (root buffer words)
  "Open the selected hit of BUFFER, or the first one for WORDS in ROOT."
  (unless (equal words (buffer-local-value 'lore--search-shown buffer))
    (lore-show-hits root words
                    (lore-data root "search" "--limit" (number-to-string lore-search-limit)
                               "--" words)))
  (let ((button (with-current-buffer buffer (button-at (point)))))
    (unless button
      (user-error "No page matches %S" words))
    (lore-open root (button-get button 'lore-path) (button-get button 'lore-line))))

;;; Questions

(defun lore-show-answer (root question data)
  "Show what `lore query' found for QUESTION in the vault at ROOT.
DATA is its output; return the buffer."
  (lore-with-view (format "*lore-query: %s*" (lore-vault-name root)) root
      (lambda () (lore--ask root question))
    (lore-heading question)
    (unless (alist-get 'hits data)
      (insert "\nNo page answers this.\n"))
    (dolist (hit (alist-get 'hits data))
      (insert "\n")
      (lore-button (alist-get 'title hit) root (alist-get 'path hit))
      (insert (propertize (format "  %s  %s%s" (alist-get 'type hit)
                                  (or (alist-get 'status hit) "")
                                  (lore--why hit))
                          'face 'shadow)
              "\n")
      (when (and (alist-get 'summary hit) (null (alist-get 'passages hit)))
        (insert "  " (alist-get 'summary hit) "\n"))
      (dolist (passage (alist-get 'passages hit))
        (lore--insert-passage root (alist-get 'path hit) passage)))
    (dolist (note (alist-get 'notes data))
      (insert "\n" (propertize note 'face 'shadow) "\n"))))

(defun lore--why (hit)
  "Return why HIT matched, as text."
  (if-let ((why (alist-get 'why hit)))
      (concat "  " (string-join why ", "))
    ""))

(defun lore--insert-passage (root path passage)
  "Insert PASSAGE of PATH in the vault at ROOT with a citation that jumps."
  (let* ((line (car (alist-get 'lines passage)))
         (text (string-trim-right (alist-get 'text passage))))
    (insert "  ")
    (lore-button (format "%s:%d" path line) root path line)
    (when-let ((heading (alist-get 'heading passage)))
      (insert (propertize (concat "  " heading) 'face 'italic)))
    (insert "\n" (replace-regexp-in-string "^" "    " text) "\n")))

(defun lore--ask (root question)
  "Ask QUESTION in the vault at ROOT and show the answer when it comes."
  (message "Lore: asking...")
  (lore-with-data root (list "query" "--" question)
                  (lambda (data)
                    (message nil)
                    (display-buffer (lore-show-answer root question data)))))

;;;###autoload
(defun lore-query (question)
  "Ask QUESTION and show the passages that answer it, each with its place."
  (interactive (list (read-string "Question: ")))
  (when (string-blank-p question)
    (user-error "The question is empty"))
  (lore--ask (lore-current-vault) question))

;;; Pointers

(defconst lore--uuid
  "[0-9a-fA-F]\\{8\\}-[0-9a-fA-F]\\{4\\}-[0-9a-fA-F]\\{4\\}-[0-9a-fA-F]\\{4\\}-[0-9a-fA-F]\\{12\\}"
  "Regexp of an id.")

(defconst lore--pointers
  `(,(format "\\(?:ai-kb\\|lore\\):[ \t]*\\(?2:[^\n]*?\\)[ \t]*(\\(?1:%s\\))" lore--uuid)
    ,(format "\\[\\[id:\\(?1:%s\\)]\\(?:\\[[^]\n]*]\\)?]" lore--uuid)
    ,(format "id:\\(?1:%s\\)" lore--uuid)
    ,(format "\\(?1:%s\\)" lore--uuid)
    "\\(?:ai-kb\\|lore\\):[ \t]*\\(?2:[^\n()]+?\\)[ \t]*$"
    "memory://\\(?2:[^][() \t\n\"]+\\)"
    "\\[\\[\\(?2:[^]|#\n]+\\)\\(?:[|#][^]\n]*\\)?\\]\\]")
  "Regexps of pointers to pages: group 1 is an id, group 2 a title or path.")

(defun lore-pointer-at-point ()
  "Return the pointer to a page at point as (ID . TITLE), or nil."
  (let ((at (point)))
    (save-excursion
      (seq-some
       (lambda (regexp)
         (goto-char (line-beginning-position))
         (let ((end (line-end-position)) found)
           (while (and (not found) (re-search-forward regexp end t))
             (when (<= (match-beginning 0) at (match-end 0))
               (setq found (cons (match-string-no-properties 1)
                                 (match-string-no-properties 2)))))
           found))
       lore--pointers))))

(defun lore--resolve (roots references)
  "Return the first page of ROOTS that one of REFERENCES means, with its root."
  (seq-some (lambda (root)
              (seq-some (lambda (reference)
                          (when-let ((page (lore-result-data
                                            (lore-call-sync root (list "show" "--" reference)))))
                            (cons root page)))
                        references))
            roots))

;;;###autoload
(defun lore-show (reference &optional title)
  "Open the page that REFERENCE means; without one, TITLE is tried.
Interactively, it is the pointer at point, such as \"ai-kb: Title (UUID)\",
\"lore: Title (UUID)\" or \"id:UUID\"; without one it is asked for.  The
id is looked up before the title, in this vault before the others."
  (interactive
   (let ((pointer (lore-pointer-at-point)))
     (if pointer
         (list (or (car pointer) (cdr pointer)) (cdr pointer))
       (list (read-string "Page (id, title or path): ")))))
  (let* ((here (lore-vault-of (or (buffer-file-name (buffer-base-buffer)) default-directory)))
         (roots (seq-uniq (delq nil (append (list here lore--roam-root
                                                  (and lore-default-vault
                                                       (lore--directory lore-default-vault)))
                                            (lore--vaults)))))
         (found (lore--resolve roots (delete-dups (delq nil (list reference title))))))
    (unless found
      (user-error "No page matches %s" (or title reference)))
    (lore-open (car found) (alist-get 'path (cdr found)) nil reference)))

;;; Backlinks

(defun lore-show-backlinks (root title data)
  "Show the links to the page TITLE of the vault at ROOT.
DATA is the output of `lore backlinks'; return the buffer."
  (lore-with-view (format "*lore-backlinks: %s*" (lore-vault-name root)) root
      (lambda () (lore--backlinks root (alist-get 'slug data) title))
    (lore-heading (format "Links to %s" title))
    (insert "\n")
    (unless (alist-get 'links data)
      (insert "No page links here.\n"))
    (dolist (link (alist-get 'links data))
      (lore-button (alist-get 'from link) root (alist-get 'path link) (alist-get 'line link))
      (insert (format "  %s\n" (alist-get 'relationship link)))
      (when-let ((context (alist-get 'context link)))
        (insert "    " (lore--one-line context 200) "\n")))))

(defun lore--backlinks (root reference title)
  "Show the links to the page REFERENCE with TITLE of the vault at ROOT."
  (lore-with-data root (list "backlinks" "--" reference)
                  (lambda (data) (display-buffer (lore-show-backlinks root title data)))))

;;;###autoload
(defun lore-backlinks ()
  "List the links to the page of this buffer, or to one that is asked for."
  (interactive)
  (let* ((root (lore-current-vault))
         (file (buffer-file-name (buffer-base-buffer)))
         (page (if (and file (equal (lore-vault-of file) root))
                   `((slug . ,(lore--path-in root file))
                     (title . ,(file-name-base file)))
                 (lore-read-page root "Links to: " t))))
    (lore--backlinks root (alist-get 'slug page) (alist-get 'title page))))

(provide 'lore-search)
;;; lore-search.el ends here
