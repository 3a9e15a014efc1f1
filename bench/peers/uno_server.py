"""LibreOffice behind XML-RPC, driven as unoserver 3 drives it (https://github.com/unoconv/unoserver, src/unoserver).

Usage: uno_server.py SOFFICE PROFILE_DIR STOP_AFTER. Prints "ready PORT"; ends after STOP_AFTER documents, never if 0.

The document arrives as bytes and is loaded from a temporary file. Its type is detected, its indexes are updated, and
the filter is found among all export filters. At its start, unoserver also sleeps for seven seconds; this program waits
only until LibreOffice listens.
"""
import os
import socket
import subprocess
import sys
import tempfile
from xmlrpc.client import Binary
from xmlrpc.server import SimpleXMLRPCServer

import uno
from uno_listener import connect, property_value, refresh, service

TEXT_DOCUMENT = "com.sun.star.text.TextDocument"
OPTIONS = ["--headless", "--invisible", "--nocrashreport", "--nodefault", "--nologo", "--nofirststartwizard",
           "--norestore"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Converter:
    def __init__(self, port):
        context = connect(f"socket,host=127.0.0.1,port={port}")
        self.desktop = service(context, "frame.Desktop")
        self.types = service(context, "document.TypeDetection")
        self.filters = self.export_filters(service(context, "document.FilterFactory"))
        self.converted = 0

    def export_filters(self, factory):
        found = factory.createSubSetEnumerationByQuery("getSortedFilterList():iflags=2")
        filters = []
        while found.hasMoreElements():
            filters.append({one.Name: one.Value for one in found.nextElement()})
        return filters

    def filter_for(self, document, url):
        if not document.supportsService(TEXT_DOCUMENT):
            raise ValueError("not a text document")
        wanted = self.types.queryTypeByURL(url)
        return next(one["Name"] for one in self.filters
                    if one["DocumentService"] == TEXT_DOCUMENT and one["Type"] == wanted)

    def convert(self, data):
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "document"), os.path.join(folder, "document.pdf")
            with open(source, "wb") as file:
                file.write(data.data)
            load = (property_value("ReadOnly", True),)
            document = self.desktop.loadComponentFromURL(uno.systemPathToFileUrl(source), "_default", 0, load)
            try:
                refresh(document)
                url = uno.systemPathToFileUrl(target)
                save = (property_value("FilterName", self.filter_for(document, url)),
                        property_value("Overwrite", True))
                document.storeToURL(url, save)
            finally:
                document.close(True)
            self.converted += 1
            with open(target, "rb") as file:
                return Binary(file.read())


def main(soffice, profile, stop_after):
    port = free_port()
    office = subprocess.Popen(
        [soffice, *OPTIONS, f"-env:UserInstallation=file://{profile}",
         f"--accept=socket,host=127.0.0.1,port={port},tcpNoDelay=1;urp;StarOffice.ComponentContext"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        converter = Converter(port)
        with SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False) as server:
            server.register_function(converter.convert)
            print("ready", server.server_address[1], flush=True)
            while converter.converted != int(stop_after) or int(stop_after) == 0:
                server.handle_request()
    finally:
        office.terminate()
        office.wait(30)


main(*sys.argv[1:])
