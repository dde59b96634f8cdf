-- What is indexed of a memory besides what it says (search/extra.py); filled when the index is built.
ALTER TABLE memories ADD COLUMN extra TEXT NOT NULL DEFAULT '';
