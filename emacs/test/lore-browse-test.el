;;; lore-browse-test.el --- Tests of the browsing commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'lore-test-support)
(require 'package)

(defun lore-browse-test-id (number)
  "Return the id of the node with NUMBER."
  (format "0192f3a1-7c4e-7b21-9d55-%012x" number))

(defun lore-browse-test-vault ()
  "Return a vault with three nodes that are linked."
  (let ((root (lore-test-vault)))
    (lore-test-nodes root
                     '("hub.md" "Release checklist" "Tag the commit.\n\nThen see [[Sign the tag]].")
                     '("sign.md" "Sign the tag" "Use the key on the token.")
                     '("loose.md" "Espresso ratio" "One to two, in thirty seconds."))
    root))

(defun lore-browse-test-pop (root command &rest arguments)
  "Call COMMAND with ARGUMENTS in ROOT, as from a buffer of the vault."
  (with-current-buffer (find-file-noselect (expand-file-name "hub.md" root))
    (save-window-excursion
      (apply command arguments))))

(defmacro lore-browse-test-buffer (name &rest body)
  "Wait until the buffer NAME has text, and run BODY in it."
  (declare (indent 1) (debug t))
  `(progn
     (lore-test-until (and (get-buffer ,name) (> (buffer-size (get-buffer ,name)) 0)))
     (with-current-buffer ,name
       ,@body)))

(defun lore-browse-test-press (label)
  "Press the button LABEL in this buffer; return where it leads."
  (goto-char (point-min))
  (let (found)
    (while (and (not found) (forward-button 1 nil nil t))
      (when (equal (button-label (button-at (point))) label)
        (setq found (button-at (point)))))
    (unless found
      (ert-fail (list 'no-button label (buffer-string))))
    (save-window-excursion
      (button-activate found)
      (list (and (buffer-file-name) (file-name-nondirectory (buffer-file-name)))
            (line-number-at-pos)))))

(defmacro lore-browse-test-answer (choice &rest body)
  "Run BODY with CHOICE as the answer of `completing-read'.
CHOICE is a string, or a function of the candidates."
  (declare (indent 1) (debug t))
  `(cl-letf (((symbol-function 'completing-read)
              (lambda (_prompt table &rest _)
                (let ((choice ,choice))
                  (if (functionp choice) (funcall choice (all-completions "" table)) choice)))))
     ,@body))

(lore-deftest lore-browse-dashboard ()
  "The dashboard shows the vault, what needs attention and what changed."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (lore-test-write root "broken.md" "# Broken\n")
      (lore-browse-test-pop root #'lore-dashboard)
      (lore-browse-test-buffer (lore--dashboard-buffer root)
        (should (derived-mode-p 'lore-dashboard-mode))
        (let ((text (buffer-string)))
          (dolist (part '("kb  " "Profile       roam" "Pages         5" "Branch        main, no remote"
                          "Uncommitted   1 file" "Curation      not due" "org-roam      not synced"
                          "Needs attention" "broken.md  not committed" "Changed last"
                          "Espresso ratio  What Espresso ratio is about."))
            (should (string-search part text))))
        (should (equal (lore-browse-test-press "Espresso ratio") '("loose.md" 1))))
      (with-current-buffer (find-file-noselect (expand-file-name "broken.md" root))
        (lore-mode-if-page)
        (set-buffer-modified-p t)
        (save-buffer)
        (lore-test-saved root))
      (lore-test-until (string-search "broken.md:1" (lore-test-text (lore--dashboard-buffer root)))))))

(lore-deftest lore-browse-find ()
  "A page is found by its title, with its type and summary beside it."
  (lore-test
    (let ((root (lore-browse-test-vault)) names annotated)
      (lore-browse-test-answer (lambda (candidates) (setq names candidates) "Sign the tag")
        (with-current-buffer (find-file-noselect (expand-file-name "hub.md" root))
          (save-window-excursion
            (lore-find)
            (should (equal (file-name-nondirectory (buffer-file-name)) "sign.md")))))
      (should (equal (sort (copy-sequence names) #'string<)
                     '("Espresso ratio" "Release checklist" "Sign the tag" "Start here")))
      (setq annotated (lore-annotation '((type . "note") (status . "current") (summary . "Short."))))
      (should (equal (substring-no-properties annotated) "  note, current  Short."))
      (should (equal (mapcar #'car (lore-page-names '(((title . "A") (slug . "x/a"))
                                                      ((title . "A") (slug . "y/a"))
                                                      ((title . "B") (slug . "b")))))
                     '("A (x/a)" "A (y/a)" "B"))))))

(ert-deftest lore-browse-find-heading-and-alias ()
  "The title of a heading that is a node, and an alias, open their places."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (lore-test-write root "kiln.org"
                       "#+title: Kiln\n\n* Firing plan\n:PROPERTIES:\n:ID: 9b1d6c52-0c86-4f7e-8c1a-3d0a7a1f4e22\n\
:ROAM_ALIASES: \"Burn plan\"\n:END:\nSlowly.\n")
      (dolist (name '("Firing plan" "burn plan"))
        (lore-browse-test-answer name
          (with-current-buffer (find-file-noselect (expand-file-name "hub.md" root))
            (save-window-excursion
              (lore-find)
              (should (equal (file-name-nondirectory (buffer-file-name)) "kiln.org"))
              (should (looking-at "\\* Firing plan")))))))))

(ert-deftest lore-browse-titles-have-spaces ()
  "A space can be typed into a title."
  (should (eq (lookup-key (lore--title-map) " ") #'self-insert-command)))

(lore-deftest lore-browse-search ()
  "Hits appear while the words are typed, and RET opens the selected one."
  (lore-test
    (let ((root (lore-browse-test-vault)) (lore-search-delay 0) shown)
      (with-current-buffer (find-file-noselect (expand-file-name "hub.md" root))
        (cl-letf (((symbol-function 'read-from-minibuffer)
                   (lambda (&rest _)
                     ;; What the minibuffer does while somebody types.
                     (cl-letf (((symbol-function 'minibuffer-contents-no-properties)
                                (lambda () "tag")))
                       (lore--search-typed root)
                       (timer-event-handler lore--search-timer))
                     (lore-test-until (equal (buffer-local-value 'lore--search-shown
                                                                 lore--search-hits)
                                             "tag"))
                     (setq shown (lore-test-text lore--search-hits))
                     (lore-search-next)
                     (lore-search-previous)
                     (lore-search-next)
                     "tag")))
          (save-window-excursion
            (lore-search)
            (should-not (get-buffer-window lore--search-hits))
            (should (string-match-p "Sign the tag  sign\n    " shown))
            (should (string-match-p "Release checklist  hub\n    " shown))
            (should (member (file-name-nondirectory (buffer-file-name)) '("hub.md" "sign.md")))
            (should (> (line-number-at-pos) 1))))))))

(lore-deftest lore-browse-search-fast-return ()
  "RET before the hits are there opens the first one all the same."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (with-current-buffer (find-file-noselect (expand-file-name "hub.md" root))
        (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) "espresso")))
          (save-window-excursion
            (lore-search)
            (should (equal (file-name-nondirectory (buffer-file-name)) "loose.md")))))
      (with-current-buffer (find-file-noselect (expand-file-name "hub.md" root))
        (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) "zzzqqq")))
          (save-window-excursion
            (should-error (lore-search) :type 'user-error)))))))

(lore-deftest lore-browse-query ()
  "An answer cites its places, and a citation jumps to its line."
  (lore-test
    (let ((root (lore-test-vault "brain")))
      (lore-test-write root "people/ada.md"
                       "# Ada\n\n- works_at [[Acme]]\n\n## Home\n\nAda lives in the old mill by the river.\n")
      (lore-test-write root "companies/acme.md" "# Acme\n\nMakes anvils.\n")
      (lore-test-commit root)
      (with-current-buffer (find-file-noselect (expand-file-name "companies/acme.md" root))
        (save-window-excursion
          (lore-query "where does Ada live")))
      (lore-browse-test-buffer "*lore-query: kb*"
        (should (string-search "old mill" (buffer-string)))
        (goto-char (point-min))
        (should (re-search-forward "people/ada.md:\\([0-9]+\\)" nil t))
        (let ((line (string-to-number (match-string 1))))
          (should (equal (lore-browse-test-press (match-string 0)) (list "ada.md" line)))))
      (should-error (lore-query " ") :type 'user-error))))

(lore-deftest lore-browse-show-pointers ()
  "Every form of a pointer leads to its page, by id before title."
  (lore-test
    (let* ((root (lore-browse-test-vault))
           (id (lore-browse-test-id 2))
           (lore-default-vault root))
      (pcase-dolist (`(,text ,mark)
                     `((,(format "- ai-kb: Sign the tag (%s) and more" id) "Sign")
                       (,(format "lore: An old title (%s)" id) "old")
                       (,(format "See id:%s." id) "id:")
                       (,(format "[[id:%s][Sign]]" id) "Sign")
                       (,(format "ai-kb: Sign the tag (%s)" (lore-browse-test-id 99)) "Sign")
                       ("lore: Sign the tag" "Sign")
                       ("See memory://sign for it" "memory")
                       ("See [[Sign the tag]]" "Sign")
                       ("See [[sign#Steps|the steps]]" "steps")))
        (with-temp-buffer
          (insert "Other text\n" text "\nMore text\n")
          (goto-char (point-min))
          (search-forward mark)
          (save-window-excursion
            (call-interactively #'lore-show)
            (should (equal (list text (file-name-nondirectory (buffer-file-name)))
                           (list text "sign.md"))))))
      (with-temp-buffer
        (insert "Nothing here")
        (should (null (lore-pointer-at-point))))
      (should-error (lore-show "No such page") :type 'user-error))))

(lore-deftest lore-browse-show-looks-in-every-vault ()
  "A pointer outside of any vault is looked up in all of them."
  (lore-test
    (lore-test-vault "notes" "other")
    (lore-browse-test-vault)
    (with-temp-buffer
      (insert (format "ai-kb: Sign the tag (%s)" (lore-browse-test-id 2)))
      (save-window-excursion
        (call-interactively #'lore-show)
        (should (equal (file-name-nondirectory (buffer-file-name)) "sign.md"))))))

(lore-deftest lore-browse-backlinks ()
  "Backlinks jump to the line with the link."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (with-current-buffer (find-file-noselect (expand-file-name "sign.md" root))
        (save-window-excursion
          (lore-backlinks)))
      (lore-browse-test-buffer "*lore-backlinks: kb*"
        (should (string-search "links_to" (buffer-string)))
        (should (equal (lore-browse-test-press "hub") '("hub.md" 19))))
      (with-current-buffer (find-file-noselect (expand-file-name "loose.md" root))
        (save-window-excursion
          (lore-backlinks)))
      (lore-test-until (string-search "No page links here." (lore-test-text "*lore-backlinks: kb*"))))))

(lore-deftest lore-browse-map ()
  "The map shows pages and links, and its filters narrow it."
  (lore-test
    (let ((root (lore-browse-test-vault)) (name "*lore-map: kb*"))
      (lore-test-write root "draft.md"
                       (lore-test-node 9 "Compile Emacs" "With [[Sign the tag]]." "emacs" "procedure"))
      (lore-test-commit root)
      (lore-browse-test-pop root #'lore-map)
      (lore-browse-test-buffer name
        (should (derived-mode-p 'lore-map-mode))
        (should (string-match-p "^◉ Sign the tag  note$" (buffer-string)))
        (should (string-match-p "^  ○ Release checklist  note\n      → Sign the tag$"
                                (buffer-string)))
        (should (string-match-p "^Without links:\n○ Espresso ratio" (buffer-string)))
        (should (equal (lore-browse-test-press "Sign the tag") '("sign.md" 1)))
        (lore-browse-test-answer "emacs" (lore-map-by-project)))
      (lore-test-until (string-search "Map of kb, project emacs" (lore-test-text name)))
      (should (string-search "Compile Emacs" (lore-test-text name)))
      (should-not (string-search "Espresso" (lore-test-text name)))
      (with-current-buffer name
        (lore-map-clear))
      (lore-test-until (string-search "Espresso" (lore-test-text name)))
      (with-current-buffer name
        (lore-browse-test-answer (lambda (tags)
                                   (should (member "procedure" tags))
                                   "procedure")
          (lore-map-by-tag)))
      (lore-test-until (string-search "tag procedure" (lore-test-text name)))
      (with-current-buffer name
        (lore-map-clear))
      (lore-test-until (string-search "Espresso" (lore-test-text name)))
      (with-current-buffer name
        (lore-browse-test-answer "superseded" (lore-map-by-status)))
      (lore-test-until (string-search "No page matches." (lore-test-text name)))
      (with-current-buffer name
        (lore-map-clear))
      (lore-test-until (string-search "Espresso" (lore-test-text name)))
      (with-current-buffer name
        (goto-char (point-min))
        (search-forward "Release checklist")
        (backward-char)
        (lore-map-from-here))
      (lore-test-until (string-search "around hub" (lore-test-text name)))
      (should-not (string-search "Espresso" (lore-test-text name)))
      (let ((image (expand-file-name "map.svg" lore-test-home)))
        (with-current-buffer name
          (cl-letf (((symbol-function 'read-file-name) (lambda (&rest _) image)))
            (lore-map-image)))
        (should (string-prefix-p "<svg" (with-temp-buffer
                                          (insert-file-contents image)
                                          (buffer-string))))))))

(lore-deftest lore-browse-capture ()
  "A note without similar pages is written and visited."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (with-current-buffer (find-file-noselect (expand-file-name "hub.md" root))
        (save-window-excursion
          (lore-capture "Descale the kettle")
          (should lore-capture-mode)
          (should-error (lore-capture-finish) :type 'user-error)
          (insert "Vinegar and water, twice a year.")
          (lore-capture-finish)
          (lore-test-until (string-search "Descale the kettle" (lore-test-lore root "list")))
          (lore-test-until (string-match-p "descale-the-kettle"
                                           (or (buffer-file-name (window-buffer)) "")))))
      (should (string-prefix-p "Capture " (lore-test-head root))))))

(lore-deftest lore-browse-capture-similar ()
  "Similar pages come first: the note is added to one, or becomes a page."
  (lore-test
    (let ((root (lore-browse-test-vault)) offered
          (text "Use the key on the token to sign the tag."))
      (with-current-buffer (find-file-noselect (expand-file-name "hub.md" root))
        (save-window-excursion
          (lore-browse-test-answer (lambda (choices) (setq offered choices) "Add to Sign the tag")
            (lore-capture "Sign the tag")
            (insert text)
            (lore-capture-finish)
            (lore-test-until (null lore--processes))
            (should (string-search text (lore-test-lore root "get" "sign"))))
          (should (equal offered '("Add to Sign the tag" "Write a new page" "Go on editing")))
          (should (string-match-p "Sign the tag  [0-9]+% alike by"
                                  (lore-test-text "*lore-similar: kb*")))
          (let ((count (length (lore-pages root))))
            (lore-browse-test-answer "Go on editing"
              (lore-capture "Sign the tag")
              (insert text)
              (let ((buffer (current-buffer)))
                (lore-capture-finish)
                (lore-test-until (null lore--processes))
                (should (buffer-live-p buffer))
                (should (equal (length (lore-pages root)) count))
                (set-buffer buffer)))
            (lore-browse-test-answer "Write a new page"
              (lore-capture-finish)
              (lore-test-until (equal (length (lore-pages root)) (1+ count))))))))))

(lore-deftest lore-browse-capture-region-and-cancel ()
  "The region is the text of the note; cancelling writes nothing."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (with-current-buffer (find-file-noselect (expand-file-name "loose.md" root))
        (save-window-excursion
          (let ((transient-mark-mode t))
            (goto-char (point-min))
            (search-forward "One to two")
            (set-mark (match-beginning 0))
            (activate-mark)
            (lore-capture "Ratio"))
          (should (equal (buffer-string) "One to two"))
          (lore-capture-cancel)))
      (should (equal (lore-test-git root "status" "--porcelain") "")))))

(lore-deftest lore-browse-check ()
  "A check lists invalid pages and contradictions with their lines."
  (lore-test
    (let ((root (lore-test-vault "brain")))
      (lore-test-write root "people/ada.md"
                       "# Ada\n\n- role:: CTO {2020..}\n- role:: CEO {2021..}\n\nSee [[Nobody]].\n")
      (with-current-buffer (find-file-noselect (expand-file-name "people/ada.md" root))
        (save-window-excursion
          (lore-check)))
      (lore-browse-test-buffer (lore--findings-buffer root)
        (let ((text (buffer-string)))
          (should (string-match-p "^people/ada.md:6: .*Nobody" text))
          (should (string-match-p "^people/ada.md:3: .*two values of `role`" text))
          (should (string-match-p "^people/ada.md:4: .*two values of `role`" text))
          (should (string-match-p "1 contradiction" text)))))))

(defun lore-browse-test-complete (mode text)
  "Complete the link after TEXT in a buffer with MODE; return the buffer's text."
  (funcall mode)
  (goto-char (point-max))
  (insert text)
  (completion-at-point)
  (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(ert-deftest lore-browse-completion ()
  "Titles complete links in Markdown and in Org."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (with-current-buffer (lore-test-visit root "loose.md")
        (should (memq #'lore-completion-at-point completion-at-point-functions))
        (goto-char (point-max))
        (insert "See [[Sign")
        (completion-at-point)
        (should (equal (buffer-substring-no-properties (line-beginning-position) (point-max))
                       "See [[Sign the tag]]"))
        (insert "\nSee [[Rel]]")
        (backward-char 2)
        (completion-at-point)
        (should (equal (buffer-substring-no-properties (line-beginning-position) (line-end-position))
                       "See [[Release checklist]]"))
        (goto-char (point-max))
        (insert "\n[[https://exam")
        (should (null (lore-completion-at-point)))
        (insert "\nno link")
        (should (null (lore-completion-at-point))))
      (lore-test-write root "new.org" "#+title: New\n\n")
      (with-current-buffer (lore-test-visit root "new.org")
        (should (derived-mode-p 'org-mode))
        (should lore-mode)
        (goto-char (point-max))
        (insert "See [[Sign")
        (completion-at-point)
        (should (equal (buffer-substring-no-properties (line-beginning-position) (point-max))
                       (format "See [[id:%s][Sign the tag]]" (lore-browse-test-id 2))))))))

(lore-deftest lore-browse-completion-follows-saves ()
  "A new page is offered after the next save, without waiting for it."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (with-current-buffer (lore-test-visit root "loose.md")
        (should-not (assoc "Fresh" (lore--names root)))
        (lore-test-nodes root '("hub.md" "Release checklist" "Text.")
                         '("sign.md" "Sign the tag" "Text.")
                         '("loose.md" "Espresso ratio" "Text.")
                         '("fresh.md" "Fresh" "Text."))
        (revert-buffer t t t)
        (lore-test-replace "Text." "Other text.")
        (lore-test-saved root)
        (lore-test-until (assoc "Fresh" (lore--names root)))))))

(ert-deftest lore-browse-keys-and-menu ()
  "Every command is in the menu and below the prefix."
  (let ((commands '(lore-dashboard lore-find lore-search lore-query lore-show lore-backlinks
                    lore-map lore-capture lore-check lore-save-pending lore-push
                    lore-roam-enter lore-roam-exit lore-roam-sync)))
    (dolist (command commands)
      (should (commandp command))
      (should (where-is-internal command lore-prefix-map))
      (should (string-search (symbol-name command)
                             (format "%S" (get 'lore-menu 'transient--layout)))))
    (should (eq (lookup-key lore-mode-map (kbd "C-c n f")) 'lore-find))
    (should (eq (lookup-key lore-mode-map (kbd "C-c n n")) 'lore-menu))
    (customize-set-variable 'lore-keymap-prefix "C-c l")
    (should (eq (lookup-key lore-mode-map (kbd "C-c l f")) 'lore-find))
    (should-not (commandp (lookup-key lore-mode-map (kbd "C-c n f"))))
    (customize-set-variable 'lore-keymap-prefix "C-c n")))

(ert-deftest lore-browse-errors-are-told ()
  "Errors of Lore reach the person with their hint."
  (lore-test
    (let ((root (lore-browse-test-vault)))
      (let ((error (should-error (lore-data root "show" "nobody") :type 'user-error)))
        (should (string-match-p "no page matches .*(.*lore" (cadr error))))
      (let ((lore-executable "no-such-program"))
        (should-error (lore-data root "status") :type 'user-error))
      (let ((default-directory lore-test-home))
        (setenv "LORE_HOME" (expand-file-name "empty" lore-test-home))
        (with-temp-buffer
          (should-error (lore-find) :type 'user-error))))))

(ert-deftest lore-browse-global-mode ()
  "The global mode turns on in pages of vaults, with or without lore.toml."
  (lore-test
    (let ((root (lore-browse-test-vault))
          (bare (file-name-as-directory (expand-file-name "bare" lore-test-home))))
      (make-directory bare)
      (lore-test-write bare "note.md" "# Note\n")
      (lore-test-lore lore-test-home "trust" bare)
      (lore-test-lore lore-test-home "project" "add" "bare" bare)
      (setq lore--registered 'unknown)
      (unwind-protect
          (progn
            (global-lore-mode 1)
            (dolist (file (list (expand-file-name "hub.md" root) (expand-file-name "note.md" bare)))
              (with-current-buffer (find-file-noselect file)
                (should lore-mode)))
            (with-current-buffer (find-file-noselect (expand-file-name "index.md" root))
              (should-not lore-mode))
            (with-current-buffer (find-file-noselect
                                  (lore-test-write lore-test-home "elsewhere.md" "# Else\n"))
              (should-not lore-mode)))
        (global-lore-mode -1)))))

(ert-deftest lore-browse-package ()
  "The folder installs as a package."
  (lore-test
    (let ((package-user-dir (expand-file-name "elpa" lore-test-home))
          (copy (file-name-as-directory (expand-file-name "lore" lore-test-home)))
          package-alist)
      (make-directory copy)
      (dolist (file (directory-files lore-test-folder t "\\.el\\'"))
        (copy-file file copy))
      (with-temp-buffer
        (should (eql 0 (call-process
                        (expand-file-name invocation-name invocation-directory) nil t nil
                        "-Q" "--batch" "--eval"
                        (prin1-to-string
                         `(progn
                            (require 'package)
                            (setq package-user-dir ,package-user-dir)
                            (package-initialize)
                            (package-install-file ,copy)
                            (unless (and (fboundp 'lore-dashboard)
                                         (fboundp 'global-lore-mode)
                                         (require 'lore nil t)
                                         (fboundp 'lore-menu))
                              (kill-emacs 3)))))))
        (should-not (string-match-p "[Ww]arning" (buffer-string)))))))

(provide 'lore-browse-test)
;;; lore-browse-test.el ends here
