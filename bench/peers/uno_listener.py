"""Converts with a bare, persistent LibreOffice listener over UNO: nothing between the two but this file.

Usage: uno_listener.py SOFFICE PROFILE_DIR. Reads lines of "INPUT OUTPUT" (paths), answers each with "ok" or an error.
"""
import os
import subprocess
import sys
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

START_TIMEOUT_SECONDS = 60


def property_value(name, value):
    return PropertyValue(Name=name, Value=value)


def connect(address):
    """Waits for LibreOffice at an address such as "pipe,name=NAME", and returns its component context."""
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for end in iter(lambda at=time.monotonic(): time.monotonic() - at > START_TIMEOUT_SECONDS, True):
        try:
            return resolver.resolve(f"uno:{address};urp;StarOffice.ComponentContext")
        except NoConnectException:
            time.sleep(0.1)
    raise SystemExit("LibreOffice does not listen")


def service(context, name):
    return context.ServiceManager.createInstanceWithContext(f"com.sun.star.{name}", context)


def refresh(document):
    """Twice: a table of contents may grow, which changes the page numbers in it."""
    for _ in range(2):
        document.refresh()
        indexes = document.getDocumentIndexes()
        for place in range(indexes.getCount()):
            indexes.getByIndex(place).update()


def convert(desktop, source, target):
    load = (property_value("Hidden", True), property_value("FilterName", "MS Word 2007 XML"))
    document = desktop.loadComponentFromURL(uno.systemPathToFileUrl(source), "_blank", 0, load)
    try:
        save = (property_value("FilterName", "writer_pdf_Export"),)
        document.storeToURL(uno.systemPathToFileUrl(target), save)
    finally:
        document.close(True)


def main(soffice, profile):
    pipe = f"bench{os.getpid()}"
    listener = subprocess.Popen(
        [soffice, f"-env:UserInstallation=file://{profile}", "--headless", "--norestore", "--nologo",
         f"--accept=pipe,name={pipe};urp;"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    desktop = service(connect(f"pipe,name={pipe}"), "frame.Desktop")
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            convert(desktop, *line.split())
            print("ok", flush=True)
        except Exception as error:  # one document, not the listener
            print("error", str(error).replace("\n", " "), flush=True)
    try:
        desktop.terminate()
    finally:
        listener.wait(10)


if __name__ == "__main__":
    main(*sys.argv[1:])
