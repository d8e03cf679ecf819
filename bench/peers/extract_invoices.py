"""Extracts the fields of invoices with invoice2data and the templates that it ships.

    extract_invoices.py PDF…

Prints one line for each file: {"file": …, "fields": {…} or null}. Run it with invoice2data-python (`scripts/python-tool invoice2data python`);
it needs pdftotext (`scripts/need poppler-utils`).
"""

import json
import logging
import sys

from invoice2data import extract_data
from invoice2data.extract.loader import read_templates
from invoice2data.input import pdftotext


def main():
    logging.disable(logging.CRITICAL)
    templates = read_templates()
    for file in sys.argv[1:]:
        try:
            fields = extract_data(file, templates=templates, input_module=pdftotext) or None
        except Exception as error:  # a reader or template fails on a file: that file has no fields
            print(f"{file}: {error}", file=sys.stderr)
            fields = None
        print(json.dumps({"file": file, "fields": fields}, default=str), flush=True)


main()
