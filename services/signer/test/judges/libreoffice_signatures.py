"""What LibreOffice says of the signatures of documents, as JSON: libreoffice_signatures.py FOLDER CA.der FILE…

Speaks to a LibreOffice of its own over UNO, whose profile lies in FOLDER, and whose certificate store trusts that CA.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import uno

VALID_CA, TRUSTED_CA, TRUSTED_CLIENT_CA = 1 << 3, 1 << 4, 1 << 7


class Trust(ctypes.Structure):
    _fields_ = [("ssl", ctypes.c_uint), ("email", ctypes.c_uint), ("objects", ctypes.c_uint)]


def trust(folder, ca):
    """Makes a certificate store of NSS that trusts one CA; Debian's certutil, which could, need not be installed."""
    os.makedirs(folder)
    nss = ctypes.CDLL("libnss3.so")
    decode = ctypes.CDLL("libsmime3.so").CERT_DecodeCertFromPackage
    for function in (nss.PK11_GetInternalKeySlot, nss.CERT_GetDefaultCertDB, decode):
        function.restype = ctypes.c_void_p
    der = open(ca, "rb").read()
    steps = [nss.NSS_InitReadWrite(("sql:" + folder).encode())]
    slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
    steps.append(nss.PK11_InitPin(slot, None, b""))
    certificate = ctypes.c_void_p(decode(der, len(der)))
    steps.append(nss.PK11_ImportCert(slot, certificate, ctypes.c_ulong(0), b"ca", 0))
    flags = VALID_CA | TRUSTED_CA | TRUSTED_CLIENT_CA
    database = ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
    steps.append(nss.CERT_ChangeCertTrust(database, certificate, ctypes.byref(Trust(flags, flags, flags))))
    if any(steps):
        sys.exit("NSS failed: %s" % steps)


def connect(pipe):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(300):
        try:
            return resolver.resolve("uno:pipe,name=%s;urp;StarOffice.ComponentContext" % pipe)
        except Exception:
            time.sleep(0.1)
    sys.exit("LibreOffice did not start")


def signatures(context, path):
    make = context.ServiceManager.createInstanceWithContext
    as_zip = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    as_zip.Name, as_zip.Value = "StorageFormat", "ZipFormat"
    options = uno.Any("[]com.sun.star.beans.PropertyValue", (as_zip,))
    factory = make("com.sun.star.embed.StorageFactory", context)
    storage = uno.invoke(factory, "createInstanceWithArguments", (("file://" + path, 1, options),))
    judge = make("com.sun.star.security.DocumentDigitalSignatures", context)
    return [
        {
            "isValid": bool(found.SignatureIsValid),
            # css.security.CertificateValidity: 0 is valid.
            "isTrusted": found.CertificateStatus == 0,
            "signer": found.Signer.SubjectName if found.Signer else None,
        }
        for found in judge.verifyDocumentContentSignatures(storage, None)
    ]


def main(folder, ca, *files):
    store = os.path.join(folder, "nss")
    trust(store, ca)
    pipe = "signatures-%d" % os.getpid()
    office = subprocess.Popen(
        [
            "soffice",
            "-env:UserInstallation=file://" + os.path.join(folder, "profile"),
            "--headless",
            "--norestore",
            "--accept=pipe,name=%s;urp" % pipe,
        ],
        env={**os.environ, "MOZILLA_CERTIFICATE_FOLDER": "sql:" + store},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        context = connect(pipe)
        print(json.dumps([signatures(context, file) for file in files]))
    finally:
        os.killpg(office.pid, signal.SIGKILL)
        office.wait()


main(*sys.argv[1:])
