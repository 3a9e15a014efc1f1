"""Stores documents with a password as LibreOffice does: libreoffice_encrypt.py FOLDER PASSWORD [FILTER FROM TO]...

Speaks to a LibreOffice of its own over UNO, whose profile lies in FOLDER.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "judges"))

import uno  # noqa: E402
from libreoffice import running  # noqa: E402


def property_of(name, value):
    made = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    made.Name, made.Value = name, value
    return made


def main(folder, password, *documents):
    with running(folder, folder) as context:
        desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        for name, source, target in zip(*[iter(documents)] * 3):
            document = desktop.loadComponentFromURL("file://" + source, "_blank", 0, (property_of("Hidden", True),))
            how = (property_of("FilterName", name), property_of("Password", password))
            document.storeToURL("file://" + target, how)
            document.close(True)


main(*sys.argv[1:])
