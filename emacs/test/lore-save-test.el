;;; lore-save-test.el --- Tests of the save hook  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'lore-test-support)

(defun lore-save-test-vault ()
  "Return a vault with two nodes."
  (let ((root (lore-test-vault)))
    (lore-test-nodes root '("one.md" "One" "Text.") '("two.md" "Two" "Text."))
    root))

(lore-deftest lore-save-clean ()
  "A clean save is indexed and committed with the generated files."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (with-current-buffer (lore-test-visit root "one.md")
        (should lore-mode)
        (lore-test-replace "summary: What One is about." "summary: A new summary.")
        (should (equal (lore-status root) "saving"))
        (lore-test-saved root)
        (should (null (lore-status root)))
        (should (equal (lore--lighter) " Lore")))
      (should (equal (lore-test-head root) "Edit one.md"))
      (should (equal (lore-test-git root "status" "--porcelain") ""))
      (should (string-search "A new summary." (lore-test-git root "show" "HEAD:index.md")))
      (should (string-search "one" (lore-test-lore root "search" "new summary"))))))

(lore-deftest lore-save-failing ()
  "A save that fails is not committed; the next clean one is."
  (lore-test
    (let* ((root (lore-save-test-vault))
           (head (lore-test-git root "rev-parse" "HEAD")))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "summary: What One is about.\n" "")
        (lore-test-saved root)
        (should (equal (lore-status root) "1 error"))
        (should (equal (substring-no-properties (lore--lighter)) " Lore[1 error]"))
        (should-not buffer-read-only)
        (should (equal (lore-test-git root "rev-parse" "HEAD") head))
        (should (string-match-p "^one.md:1: the property `summary' is missing \\|^one.md:1: .*summary"
                                (lore-test-text (lore--findings-buffer root))))
        (lore-test-replace "status: current\n" "status: current\nsummary: Fixed.\n")
        (lore-test-saved root)
        (should (null (lore-status root))))
      (should (equal (lore-test-text (lore--findings-buffer root)) "No findings.\n"))
      (should (equal (lore-test-head root) "Edit one.md"))
      (should (equal (lore-test-git root "status" "--porcelain") "")))))

(lore-deftest lore-save-findings-jump ()
  "A line of the findings leads to its place."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "Text." "Text.\n\nSee [[Nowhere]].")
        (lore-test-saved root))
      (let ((line (with-current-buffer (find-buffer-visiting (expand-file-name "one.md" root))
                    (goto-char (point-min))
                    (search-forward "[[Nowhere]]")
                    (line-number-at-pos))))
        (with-current-buffer (lore--findings-buffer root)
          (should (derived-mode-p 'lore-findings-mode))
          (goto-char (point-min))
          (compilation-next-error 1)
          (save-window-excursion
            (compile-goto-error)
            (should (equal (buffer-name (window-buffer (selected-window))) "one.md"))
            (should (equal (line-number-at-pos (window-point (selected-window))) line))))))))

(lore-deftest lore-save-shows-findings-without-selecting ()
  "The findings appear in a window that is not selected, and disappear."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (save-window-excursion
        (switch-to-buffer (lore-test-visit root "one.md"))
        (let ((window (selected-window)))
          (lore-test-replace "summary: What One is about.\n" "")
          (lore-test-saved root)
          (should (get-buffer-window (lore--findings-buffer root)))
          (should (eq (selected-window) window))
          (lore-test-replace "status: current\n" "status: current\nsummary: Fixed.\n")
          (lore-test-saved root)
          (should-not (get-buffer-window (lore--findings-buffer root))))))))

(lore-deftest lore-save-next-clean-save-commits-both ()
  "What was refused is committed with the next save that leaves it valid."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "summary: What One is about.\n" "")
        (lore-test-saved root))
      (with-current-buffer (lore-test-visit root "two.md")
        (lore-test-replace "Text." "New text.")
        (lore-test-saved root)
        (should (equal (lore-status root) "1 error")))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "status: current\n" "status: current\nsummary: Fixed.\n")
        (lore-test-saved root))
      (should (equal (lore-test-git root "status" "--porcelain") "")))))

(lore-deftest lore-save-no-hook-on-generated-and-raw ()
  "Generated files, raw captures and hidden files have no hook."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (lore-test-write root "raw/source.md" "# Source\n")
      (lore-test-write root ".hidden/page.md" "# Hidden\n")
      (dolist (path '("index.md" "raw/source.md" ".hidden/page.md" "lore.toml"))
        (with-current-buffer (lore-test-visit root path)
          (should-not lore-mode)
          (should-not (memq #'lore--after-save after-save-hook))
          (should-error (lore-mode 1) :type 'user-error)
          (should-not lore-mode)))
      (with-current-buffer (lore-test-visit (lore-test-vault "notes" "n") "index.md")
        (insert "# A page like any other\n")
        (save-buffer)
        (lore-mode-if-page)
        (should lore-mode)))))

(lore-deftest lore-save-no-recursion ()
  "Buffers that follow a save do not start another one."
  (lore-test
    (let* ((root (lore-save-test-vault))
           (index (find-file-noselect (expand-file-name "index.md" root)))
           (calls 0)
           (count (lambda (&rest _) (cl-incf calls))))
      (with-current-buffer index
        ;; Even a hook that should not be there is not followed.
        (add-hook 'after-save-hook #'lore--after-save nil t)
        (add-hook 'after-revert-hook (lambda () (run-hooks 'after-save-hook)) nil t))
      (unwind-protect
          (progn
            (advice-add 'lore-call :before count)
            (with-current-buffer (lore-test-visit root "one.md")
              (lore-test-until (lore-state-git (lore--state root)))
              (setq calls 0)
              (lore-test-replace "summary: What One is about." "summary: A new summary.")
              (lore-test-saved root)
              (should (equal calls 1))
              (let ((lore--in-pipeline t))
                (lore-test-replace "Text." "Other text."))
              (should (equal calls 1))))
        (advice-remove 'lore-call count))
      (should (string-search "A new summary." (lore-test-text index))))))

(defun lore-save-test-gate ()
  "Make `lore-executable' wait for a file; return that file."
  (let ((gate (expand-file-name "gate" lore-test-home))
        (script (expand-file-name "slow-lore" lore-test-home)))
    (with-temp-file script
      (insert (format "#!/bin/sh\nwhile [ ! -e %s ]; do sleep 0.01; done\nexec %s \"$@\"\n"
                      gate (lore-test-binary))))
    (set-file-modes script #o700)
    (setq lore-executable script)
    gate))

(lore-deftest lore-save-does-not-block ()
  "Emacs goes on while a save runs; later saves wait for it and lose nothing."
  (lore-test
    (let* ((root (lore-save-test-vault))
           (gate (lore-save-test-gate)))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "Text." "First text.")
        (should (equal (lore-status root) "saving"))
        (lore-test-replace "First text." "Second text.")
        (with-current-buffer (lore-test-visit root "two.md")
          (lore-test-replace "Text." "Other text."))
        (should (equal (lore-state-queue (lore--state root)) '("one.md" "two.md")))
        (lore-test-replace "Second text." "Third text.")
        (should (equal (lore-state-queue (lore--state root)) '("one.md" "two.md"))))
      (write-region "" nil gate nil 'silent)
      (lore-test-saved root)
      (should (string-search "Third text." (lore-test-git root "show" "HEAD:one.md")))
      (should (string-search "Other text." (lore-test-git root "show" "HEAD:two.md")))
      (should (equal (lore-test-git root "status" "--porcelain") "")))))

(lore-deftest lore-save-beside-agents ()
  "Saves and the writes of agents at the same time are all committed."
  (lore-test
    (let ((root (lore-test-vault "notes")))
      (lore-test-write root "mine.md" "# Mine\n\nText.\n")
      (lore-test-write root "theirs.md" "# Theirs\n\nText.\n")
      (lore-test-commit root)
      (let ((agents (mapcar (lambda (number)
                              (let ((default-directory root))
                                (start-process "agent" nil (lore-test-binary) "edit" "theirs"
                                               "--append" (format "Line %d." number))))
                            (number-sequence 1 4))))
        (with-current-buffer (lore-test-visit root "mine.md")
          (dotimes (number 4)
            (goto-char (point-max))
            (insert (format "Line %d.\n" number))
            (save-buffer)
            (accept-process-output nil 0.02)))
        (lore-test-saved root)
        (lore-test-until (not (seq-some #'process-live-p agents)))
        (should (equal (mapcar #'process-exit-status agents) '(0 0 0 0))))
      (should (null (lore-state-note (lore--state root))))
      (should (equal (lore-test-git root "status" "--porcelain") ""))
      (lore-test-lore root "validate")
      (let ((text (lore-test-git root "show" "HEAD:theirs.md")))
        (dotimes (number 4)
          (should (string-search (format "Line %d." (1+ number)) text))))
      (should (string-search "Line 3." (lore-test-git root "show" "HEAD:mine.md"))))))

(ert-deftest lore-save-after-one-that-has-just-ended ()
  "A save that starts before the end of the last one was handled is waited for."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "Text." "First text.")
        ;; No sentinel runs meanwhile.
        (while (process-live-p (lore-state-process (lore--state root))))
        (lore-test-replace "First text." "Second text.")
        (lore-test-saved root))
      (should (equal (lore-test-git root "status" "--porcelain") ""))
      (should (string-search "Second text." (lore-test-git root "show" "HEAD:one.md"))))))

(lore-deftest lore-save-buffer-follows-an-agent ()
  "An unmodified buffer shows what an agent wrote, and saving it is clean."
  (lore-test
    (let ((root (lore-save-test-vault))
          ;; Nothing reads the events of notifications in a batch session.
          (auto-revert-use-notify nil))
      (with-current-buffer (lore-test-visit root "one.md")
        (should auto-revert-mode)
        (lore-test-lore root "edit" "one" "--append" "Line of an agent.")
        (auto-revert-handler)
        (should (string-search "Line of an agent." (buffer-string)))
        (lore-test-replace "Text." "Text of Ada.")
        (lore-test-saved root))
      (let ((text (lore-test-git root "show" "HEAD:one.md")))
        (should (string-search "Line of an agent." text))
        (should (string-search "Text of Ada." text))))))

(lore-deftest lore-save-after-a-crash ()
  "Emacs is killed while it saves; the next one shows and commits the edit."
  (lore-test
    (let* ((root (lore-save-test-vault))
           (file (expand-file-name "one.md" root))
           (head (lore-test-git root "rev-parse" "HEAD"))
           (form `(progn
                    (setq lore-executable "/bin/cat")
                    (find-file ,file)
                    (lore-mode-if-page)
                    (goto-char (point-max))
                    (insert "Written before the crash.\n")
                    (save-buffer)
                    (signal-process (emacs-pid) 'SIGKILL)
                    (sleep-for 10))))
      (call-process (expand-file-name invocation-name invocation-directory) nil nil nil
                    "-Q" "--batch" "-L" lore-test-folder "--eval" "(require 'lore)"
                    "--eval" (prin1-to-string form))
      (should (equal (lore-test-git root "rev-parse" "HEAD") head))
      (with-current-buffer (lore-test-visit root "one.md")
        (should (string-search "Written before the crash." (buffer-string)))
        (lore-test-until (lore-state-git (lore--state root)))
        (should (equal (lore-status root) "not committed"))
        (lore-save-pending)
        (lore-test-saved root)
        (should (null (lore-status root))))
      (should (string-search "Written before the crash." (lore-test-git root "show" "HEAD:one.md"))))))

(lore-deftest lore-save-refused-before-a-crash ()
  "What was refused before a restart is committed by the next clean save."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "summary: What One is about.\n" "")
        (lore-test-saved root)
        (kill-buffer))
      (lore-test-reset)
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "status: current\n" "status: current\nsummary: Fixed.\n")
        (lore-test-saved root))
      (should (equal (lore-test-git root "status" "--porcelain") "")))))

(lore-deftest lore-save-killed-process ()
  "A save whose process is killed is shown, and made again."
  (lore-test
    (let* ((root (lore-save-test-vault)) (lore lore-executable))
      (lore-save-test-gate)
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "Text." "New text.")
        (signal-process (lore-state-process (lore--state root)) 'SIGKILL)
        (lore-test-saved root)
        (should (equal (lore-status root) "warning"))
        (setq lore-executable lore)
        (with-current-buffer (lore-test-visit root "two.md")
          (lore-test-replace "Text." "Other text.")
          (lore-test-saved root))
        (should (null (lore-status root))))
      (should (equal (lore-test-git root "status" "--porcelain") ""))
      (should (string-search "New text." (lore-test-git root "show" "HEAD:one.md"))))))

(ert-deftest lore-save-without-the-program ()
  "Without the program, files open and save, and the mode line warns."
  (lore-test
    (let* ((root (lore-save-test-vault)) (lore lore-executable))
      (setq lore-executable "no-such-program")
      (with-current-buffer (lore-test-visit root "one.md")
        (should lore-mode)
        (lore-test-replace "Text." "New text.")
        (should-not (buffer-modified-p))
        (should (equal (lore-status root) "warning"))
        (setq lore-executable lore)
        (lore-test-replace "New text." "Newer text.")
        (lore-test-saved root)
        (should (null (lore-status root))))
      (should (string-search "Newer text." (lore-test-git root "show" "HEAD:one.md"))))))

(ert-deftest lore-save-page-about-generated-files ()
  "Only the mark of Lore makes a generated file, not the words."
  (lore-test
    (let ((root (lore-test-vault "notes")))
      (lore-test-write root "about.md" "# Files generated by Lore\n\nText.\n")
      (lore-test-write root "made.md" "<!-- generated by lore from the pages; do not edit -->\n# Made\n")
      (lore-test-write root "made.org" "# generated by lore from the pages\n#+title: Made\n")
      (should (with-current-buffer (lore-test-visit root "about.md") lore-mode))
      (should-not (with-current-buffer (lore-test-visit root "made.md") lore-mode))
      (should-not (with-current-buffer (lore-test-visit root "made.org") lore-mode)))))

(ert-deftest lore-save-waits-when-emacs-ends ()
  "Leaving Emacs waits for a running save."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "Text." "Last text.")
        (lore-finish-saves))
      (should (string-search "Last text." (lore-test-git root "show" "HEAD:one.md"))))))

(lore-deftest lore-save-stamps-updated ()
  "A save sets `updated' of a page to today, in its head only."
  (lore-test
    (let ((root (lore-save-test-vault)) (today (format-time-string "%Y-%m-%d")))
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "Text." "updated: 2020-01-01")
        (should (string-search (concat "\nupdated: " today "\n") (buffer-string)))
        (should (string-search "\ncreated: 2026-01-01\n" (buffer-string)))
        (should (string-search "\nupdated: 2020-01-01\n" (buffer-string))))
      (with-temp-buffer
        (insert ":PROPERTIES:\n:ID: x\n:UPDATED:  2020-01-01\n:END:\n#+title: T\n")
        (lore--before-save)
        (should (string-search (concat ":UPDATED:  " today "\n") (buffer-string)))))))

(ert-deftest lore-save-push-state ()
  "The mode line shows unpushed commits."
  (lore-test
    (let ((root (lore-save-test-vault)))
      (lore-test-git lore-test-home "init" "-q" "--bare" "remote.git")
      (lore-test-git root "remote" "add" "origin" (expand-file-name "remote.git" lore-test-home))
      (lore-test-lore root "git" "push")
      (with-current-buffer (lore-test-visit root "one.md")
        (lore-test-replace "Text." "New text.")
        (lore-test-saved root)
        (should (equal (lore--lighter) " Lore[ahead 1]"))
        (lore-push)
        (lore-test-until (equal (lore--lighter) " Lore"))))))

(ert-deftest lore-save-names-that-look-like-options ()
  "Odd file names are saved."
  (lore-test
    (let ((root (lore-test-vault "notes")))
      (dolist (name '("--help.md" "a b 'c'.md" "größe.md"))
        (with-current-buffer (find-file-noselect (expand-file-name name root))
          (insert "# A page\n")
          (save-buffer)
          (lore-mode-if-page)
          (set-buffer-modified-p t)
          (save-buffer)
          (lore-test-saved root)
          (should (null (lore-status root)))))
      (should (equal (lore-test-git root "status" "--porcelain") "")))))

(provide 'lore-save-test)
;;; lore-save-test.el ends here
