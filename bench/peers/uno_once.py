"""Converts one document with a LibreOffice that listens, as the unoconverter of Gotenberg does: a process a document
(https://github.com/gotenberg/unoconverter).

Usage: uno_once.py PORT INPUT OUTPUT.
"""
import sys

import uno
from com.sun.star.document.UpdateDocMode import NO_UPDATE
from uno_listener import connect, property_value, refresh, service

# Gotenberg's defaults, as far as they change a text document (pkg/modules/libreoffice/api).
EXPORT = {
    "ExportFormFields": True, "ExportBookmarks": True, "ExportNotes": False, "DisplayPDFDocumentTitle": True,
    "Quality": 90, "ReduceImageResolution": False, "MaxImageResolution": 300, "PDFUACompliance": False,
    "UseTaggedPDF": False,
}


def main(port, source, target):
    desktop = service(connect(f"socket,host=127.0.0.1,port={port},tcpNoDelay=1"), "frame.Desktop")
    load = (property_value("Hidden", True), property_value("ReadOnly", True),
            property_value("UpdateDocMode", NO_UPDATE))
    document = desktop.loadComponentFromURL(uno.systemPathToFileUrl(source), "_blank", 0, load)
    refresh(document)
    document.ShowChanges = False
    options = tuple(property_value(name, value) for name, value in EXPORT.items())
    save = (property_value("FilterName", "writer_pdf_Export"), property_value("Overwrite", True),
            property_value("FilterData", uno.Any("[]com.sun.star.beans.PropertyValue", options)))
    document.storeToURL(uno.systemPathToFileUrl(target), save)
    document.dispose()


main(*sys.argv[1:])
