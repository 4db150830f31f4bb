;; Prints what `org-lint' finds in pages. Standard input has one page per line, in base64. Each finding is a line of the
;; page's number from 1, the line, the check and the message, separated by tabs; the last line is "done".
;;
;; Pages are text from outside: no file is visited, local variables are off, and `#+setupfile:' reads nothing. Only checks
;; of the structure run, as those of source blocks evaluate header arguments.
(progn
  (setq load-prefer-newer t
        org-modules nil
        org-inhibit-startup t
        enable-local-variables nil
        enable-local-eval nil
        enable-dir-local-variables nil)
  (require 'org)
  (require 'org-lint)
  (fset 'org-file-contents (lambda (&rest _) ""))
  (let ((checks (seq-filter (lambda (check)
                              (memq (org-lint-checker-name check)
                                    '(incomplete-drawer obsolete-properties-drawer invalid-block)))
                            org-lint--checkers))
        (number 0)
        page)
    (while (setq page (ignore-errors (read-string "")))
      (setq number (1+ number))
      (with-temp-buffer
        (insert (decode-coding-string (base64-decode-string page) 'utf-8))
        (org-mode)
        (dolist (report (org-lint--generate-reports (current-buffer) checks))
          (let ((fields (cadr report)))
            (princ (format "%d\t%s\t%s\t%s\n" number (aref fields 0)
                           (org-lint-checker-name (aref fields 3)) (aref fields 2)))))))
    (princ "done\n")))
