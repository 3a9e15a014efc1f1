"""Signs documents as LibreOffice does, in place: libreoffice_sign.py FOLDER CERTIFICATE.der KEY.p8 MODULUS FILE…

Speaks to a LibreOffice of its own over UNO, whose profile lies in FOLDER, and whose certificate store holds that RSA key.
"""

import os
import sys

from libreoffice import Store, open_storage, running

READ_WRITE = 7


def sign(context, path):
    make = context.ServiceManager.createInstanceWithContext
    security = make("com.sun.star.xml.crypto.SEInitializer", context).createSecurityContext("")
    certificate = security.getSecurityEnvironment().getPersonalCertificates()[0]
    signer = make("com.sun.star.security.DocumentDigitalSignatures", context)
    storage = open_storage(context, path, READ_WRITE)
    if not signer.signDocumentWithCertificate(certificate, storage, None):
        sys.exit("LibreOffice did not sign")
    storage.commit()
    storage.dispose()


def main(folder, certificate, key, modulus, *files):
    folder_of_store = os.path.join(folder, "nss")
    store = Store(folder_of_store)
    store.add_key(key, modulus)
    store.add(certificate, b"signer")
    with running(folder, folder_of_store) as context:
        for file in files:
            sign(context, file)


main(*sys.argv[1:])
