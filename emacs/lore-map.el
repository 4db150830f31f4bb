;;; lore-map.el --- The graph of a vault as text  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `lore-map' shows the pages of a vault and their links, filtered by
;; project, tag and status.  Pages are grouped by their distance from the
;; page at the centre, or else from the one with the most links.

;;; Code:

(require 'lore-view)

(defcustom lore-map-limit 200
  "Maximum number of pages on a map."
  :group 'lore
  :type 'natnum)

(defvar-local lore-map-filters nil
  "Filters of this map: an alist with `project', `tag' and `status'.")

(defvar-local lore-map-centre nil
  "Slug of the page at the centre, or nil.")

(defvar lore-map-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map lore-view-mode-map)
    (define-key map "P" #'lore-map-by-project)
    (define-key map "T" #'lore-map-by-tag)
    (define-key map "S" #'lore-map-by-status)
    (define-key map "x" #'lore-map-clear)
    (define-key map "c" #'lore-map-from-here)
    (define-key map "i" #'lore-map-image)
    map)
  "Keys of a map.")

(define-derived-mode lore-map-mode lore-view-mode "Lore-Map"
  "The pages of a vault and their links.
\\{lore-map-mode-map}")

(defun lore--map-arguments (centre filters)
  "Return the arguments of `lore graph' for CENTRE and FILTERS."
  (append '("graph")
          (list "--limit" (number-to-string lore-map-limit))
          (mapcan (lambda (filter)
                    (list (pcase (car filter)
                            ('project (concat "--where=projects=" (cdr filter)))
                            ('tag (concat "--tag=" (cdr filter)))
                            ('status (concat "--status=" (cdr filter))))))
                  (seq-filter #'cdr filters))
          (when centre (list "--" centre))))

(defun lore--map-title (root centre filters)
  "Return the heading of a map of ROOT with CENTRE and FILTERS."
  (concat "Map of " (lore-vault-name root)
          (if centre (format " around %s" centre) "")
          (mapconcat (lambda (filter) (format ", %s %s" (car filter) (cdr filter)))
                     (seq-filter #'cdr filters) "")))

(defun lore-show-map (root centre filters data)
  "Show the graph in DATA of the vault at ROOT; return the buffer.
CENTRE and FILTERS are those it was made with."
  (let ((titles (make-hash-table :test #'equal))
        (edges (make-hash-table :test #'equal))
        (nodes (alist-get 'nodes data)))
    (dolist (node nodes)
      (puthash (alist-get 'slug node) (alist-get 'title node) titles))
    (dolist (edge (alist-get 'edges data))
      (let ((from (alist-get 'from edge)))
        (puthash from (cons edge (gethash from edges)) edges)))
    (with-current-buffer (get-buffer-create (format "*lore-map: %s*" (lore-vault-name root)))
      (unless (derived-mode-p 'lore-map-mode)
        (lore-map-mode))
      (setq lore-map-centre centre
            lore-map-filters filters)
      (lore-with-view (buffer-name) root (lambda () (lore--map root centre filters))
        (lore-heading (lore--map-title root centre filters))
        (insert (propertize (format "%d pages, %d links.  Filter: P project, T tag, S status, \
x none.  c: centre here, i: image, RET: open\n" (length nodes) (length (alist-get 'edges data)))
                            'face 'shadow))
        (unless nodes
          (insert "\nNo page matches.\n"))
        (let* ((linked (lore--map-linked (alist-get 'edges data)))
               (linked-p (lambda (node) (gethash (alist-get 'slug node) linked))))
          (lore--map-rings root (seq-filter linked-p nodes) edges titles)
          (lore--map-alone root (seq-remove linked-p nodes)))
        (when (alist-get 'cut data)
          (insert "\nMore pages are not shown; see `lore-map-limit'.\n"))))))

(defun lore--map-linked (edges)
  "Return a table of the slugs at the ends of EDGES."
  (let ((linked (make-hash-table :test #'equal)))
    (dolist (edge edges linked)
      (puthash (alist-get 'from edge) t linked)
      (puthash (alist-get 'to edge) t linked))))

(defun lore--map-alone (root nodes)
  "Insert NODES of the vault at ROOT that have no links."
  (when nodes
    (insert "\nWithout links:\n")
    (dolist (node nodes)
      (insert "○ ")
      (lore-page-button (alist-get 'title node) root (alist-get 'slug node))
      (insert (propertize (format "  %s" (alist-get 'type node)) 'face 'shadow) "\n"))))

(defun lore--map-rings (root nodes edges titles)
  "Insert NODES of the vault at ROOT by distance, with their EDGES.
TITLES maps slugs to titles."
  (let (ring)
    (dolist (node nodes)
      (let ((hops (alist-get 'hops node))
            (slug (alist-get 'slug node)))
        (unless (equal hops ring)
          (setq ring hops)
          (insert "\n"))
        (insert (make-string (* 2 hops) ?\s) (if (eql hops 0) "◉ " "○ "))
        (lore-page-button (alist-get 'title node) root slug)
        (insert (propertize (format "  %s" (alist-get 'type node)) 'face 'shadow) "\n")
        (lore--map-edges root (reverse (gethash slug edges)) hops titles)))))

(defun lore--map-edges (root edges hops titles)
  "Insert EDGES of a page of the vault at ROOT below it, at distance HOPS.
TITLES maps slugs to titles.  Links with the same relation share a line."
  (let ((by-relation (seq-group-by (lambda (edge) (alist-get 'relationship edge)) edges)))
    (pcase-dolist (`(,relation . ,group) by-relation)
      (insert (make-string (+ 4 (* 2 hops)) ?\s)
              (if (equal relation "links_to") "→ " (format "%s → " relation)))
      (let ((first t))
        (dolist (slug (seq-uniq (mapcar (lambda (edge) (alist-get 'to edge)) group)))
          (unless first
            (insert ", "))
          (setq first nil)
          (lore-page-button (gethash slug titles slug) root slug)))
      (insert "\n"))))

(defun lore--map (root centre filters)
  "Show the map of the vault at ROOT around CENTRE with FILTERS."
  (lore-with-data root (lore--map-arguments centre filters)
                  (lambda (data)
                    (display-buffer (lore-show-map root centre filters data)))))

;;;###autoload
(defun lore-map (&optional around)
  "Show the pages of the vault and their links.
With a prefix argument AROUND, show those around the page of this buffer."
  (interactive "P")
  (let ((root (lore-current-vault)))
    (lore--map root
               (and around (buffer-file-name) (lore--path-in root (buffer-file-name)))
               nil)))

(defun lore--map-filter (kind values)
  "Set the filter KIND of this map to one of VALUES that is asked for."
  (unless (derived-mode-p 'lore-map-mode)
    (user-error "This is no map; open one with M-x lore-map"))
  (let ((value (completing-read (format "Only %s (empty: any): " kind) values)))
    (lore--map lore-view-root lore-map-centre
               (cons (cons kind (unless (string-blank-p value) value))
                     (assq-delete-all kind (copy-alist lore-map-filters))))))

(defun lore-map-by-project ()
  "Show only pages of a project."
  (interactive)
  (lore--map-filter 'project nil))

(defun lore-map-by-tag ()
  "Show only pages with a tag."
  (interactive)
  (lore--map-filter 'tag (mapcar (lambda (tag) (alist-get 'tag tag))
                                 (alist-get 'tags (lore-data lore-view-root "tags")))))

(defun lore-map-by-status ()
  "Show only pages with a status."
  (interactive)
  (lore--map-filter 'status (mapcar (lambda (status) (alist-get 'name status))
                                    (alist-get 'statuses (lore-data lore-view-root "stats")))))

(defun lore-map-clear ()
  "Show all pages again."
  (interactive)
  (lore--map lore-view-root nil nil))

(defun lore-map-from-here ()
  "Put the page at point into the centre."
  (interactive)
  (let ((button (button-at (point))))
    (unless (and button (button-get button 'lore-slug))
      (user-error "There is no page at point"))
    (lore--map lore-view-root (button-get button 'lore-slug) lore-map-filters)))

(defun lore-map-image ()
  "Show the map as an image, or save it where Emacs cannot show one."
  (interactive)
  (let* ((root lore-view-root)
         (arguments (lore--map-arguments lore-map-centre lore-map-filters))
         (data (apply #'lore-data root (cons "graph" (cons "--svg" (cdr arguments)))))
         (file (if (and (display-graphic-p) (image-type-available-p 'svg))
                   (make-temp-file "lore-map-" nil ".svg")
                 (read-file-name "Save the image as: " nil nil nil "map.svg"))))
    (with-temp-file file
      (insert (alist-get 'drawing data)))
    (if (display-graphic-p)
        (find-file-other-window file)
      (message "Lore: wrote %s" file))))

(provide 'lore-map)
;;; lore-map.el ends here
