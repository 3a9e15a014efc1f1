"""What LibreOffice says of the signatures of documents, as JSON: libreoffice_signatures.py FOLDER CA.der FILE…

Speaks to a LibreOffice of its own over UNO, whose profile lies in FOLDER, and whose certificate store trusts that CA.
"""

import json
import os
import sys

from libreoffice import Store, open_storage, running

READ = 1


def signatures(context, path):
    judge = context.ServiceManager.createInstanceWithContext(
        "com.sun.star.security.DocumentDigitalSignatures", context
    )
    return [
        {
            "isValid": bool(found.SignatureIsValid),
            # css.security.CertificateValidity: 0 means valid.
            "isTrusted": found.CertificateStatus == 0,
            "signer": found.Signer.SubjectName if found.Signer else None,
        }
        for found in judge.verifyDocumentContentSignatures(open_storage(context, path, READ), None)
    ]


def main(folder, ca, *files):
    store = os.path.join(folder, "nss")
    Store(store).trust(ca)
    with running(folder, store) as context:
        print(json.dumps([signatures(context, file) for file in files]))


main(*sys.argv[1:])
