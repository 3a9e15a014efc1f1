"""Makes the certificate store of NSS that LibreOffice signs with: libreoffice_key_store.py FOLDER KEY.p8 CERTIFICATE.der ISSUER.der…

The key is RSA, in PKCS #8. Debian's certutil and pk12util, which could, need not be installed.
"""

import ctypes
import os
import subprocess
import sys

VALID_CA, TRUSTED_CA, TRUSTED_CLIENT_CA = 1 << 3, 1 << 4, 1 << 7
ALL_USAGES = 0xFF


class Item(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("data", ctypes.c_char_p), ("len", ctypes.c_uint)]


class Trust(ctypes.Structure):
    _fields_ = [("ssl", ctypes.c_uint), ("email", ctypes.c_uint), ("objects", ctypes.c_uint)]


def item(content):
    return Item(0, content, len(content))


def modulus(certificate):
    """NSS's name of an RSA key."""
    command = ["openssl", "x509", "-inform", "DER", "-noout", "-modulus", "-in", certificate]
    return bytes.fromhex(subprocess.run(command, check=True, capture_output=True).stdout.decode().strip().split("=")[1])


def main(folder, key, *certificates):
    os.makedirs(folder)
    nss = ctypes.CDLL("libnss3.so")
    decode = ctypes.CDLL("libsmime3.so").CERT_DecodeCertFromPackage
    for function in (nss.PK11_GetInternalKeySlot, nss.CERT_GetDefaultCertDB, decode):
        function.restype = ctypes.c_void_p
    steps = [nss.NSS_InitReadWrite(("sql:" + folder).encode())]
    slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
    steps.append(nss.PK11_InitPin(slot, None, b""))
    database = ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
    private = item(open(key, "rb").read())
    public = item(modulus(certificates[0]))
    steps.append(
        nss.PK11_ImportDERPrivateKeyInfo(
            slot, ctypes.byref(private), None, ctypes.byref(public), 1, 1, ALL_USAGES, None
        )
    )
    for number, path in enumerate(certificates):
        der = open(path, "rb").read()
        certificate = ctypes.c_void_p(decode(der, len(der)))
        name = b"certificate %d" % number
        steps.append(nss.PK11_ImportCert(slot, certificate, ctypes.c_ulong(0), name, 0))
        if number > 0:
            flags = VALID_CA | TRUSTED_CA | TRUSTED_CLIENT_CA
            trust = Trust(flags, flags, flags)
            steps.append(nss.CERT_ChangeCertTrust(database, certificate, ctypes.byref(trust)))
    if any(steps):
        sys.exit("NSS failed: %s" % steps)


main(*sys.argv[1:])
