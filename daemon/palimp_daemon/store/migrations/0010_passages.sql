-- Documents with long sections are read again when they are searched next: these are now searched in parts.
UPDATE documents SET mtime_ns = -1, hash = x'' WHERE id IN (SELECT document_id FROM sections WHERE length(content) > 4000);
