"""A separate LibreOffice, with its profile in a folder, and with the given certificates in its store."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time

import uno

VALID_CA, TRUSTED_CA, TRUSTED_CLIENT_CA = 1 << 3, 1 << 4, 1 << 7
PERMANENT, PRIVATE, ANY_USAGE = 1, 1, 0xFF


class Trust(ctypes.Structure):
    _fields_ = [("ssl", ctypes.c_uint), ("email", ctypes.c_uint), ("objects", ctypes.c_uint)]


class Item(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint), ("data", ctypes.c_char_p), ("length", ctypes.c_uint)]


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Store:
    """An NSS certificate store; Debian's certutil, which could create one, may be missing."""

    def __init__(self, folder):
        os.makedirs(folder)
        self.nss = ctypes.CDLL("libnss3.so")
        self.decode = ctypes.CDLL("libsmime3.so").CERT_DecodeCertFromPackage
        for function in (self.nss.PK11_GetInternalKeySlot, self.nss.CERT_GetDefaultCertDB, self.decode):
            function.restype = ctypes.c_void_p
        self.check(self.nss.NSS_InitReadWrite(("sql:" + folder).encode()))
        self.slot = ctypes.c_void_p(self.nss.PK11_GetInternalKeySlot())
        self.check(self.nss.PK11_InitPin(self.slot, None, b""))

    def check(self, status):
        if status:
            sys.exit("NSS failed: %s" % status)

    def add(self, path, name):
        der = read(path)
        certificate = ctypes.c_void_p(self.decode(der, len(der)))
        self.check(self.nss.PK11_ImportCert(self.slot, certificate, ctypes.c_ulong(0), name, 0))
        return certificate

    def trust(self, path):
        flags = VALID_CA | TRUSTED_CA | TRUSTED_CLIENT_CA
        trust = ctypes.byref(Trust(flags, flags, flags))
        database = ctypes.c_void_p(self.nss.CERT_GetDefaultCertDB())
        self.check(self.nss.CERT_ChangeCertTrust(database, self.add(path, b"ca"), trust))

    def add_key(self, path, modulus):
        """A PKCS #8 in DER; the store finds it by the modulus of its RSA key."""
        items = [Item(0, data, len(data)) for data in (read(path), b"signer", read(modulus))]
        key, name, public = [ctypes.byref(item) for item in items]
        made = ctypes.byref(ctypes.c_void_p())
        usage = ctypes.c_uint(ANY_USAGE)
        add = self.nss.PK11_ImportDERPrivateKeyInfoAndReturnKey
        self.check(add(self.slot, key, name, public, PERMANENT, PRIVATE, usage, made, None))


# At the first start of a version, LibreOffice tests its graphics for seconds.
LATER_VERSION = (
    '<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/Product">'
    '<prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>99.9</value></prop></item></oor:items>'
)


def connect(pipe):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(300):
        try:
            return resolver.resolve("uno:pipe,name=%s;urp;StarOffice.ComponentContext" % pipe)
        except Exception:
            time.sleep(0.1)
    sys.exit("LibreOffice did not start")


@contextlib.contextmanager
def running(folder, store):
    """The context of a LibreOffice that uses a store, and ends with the block."""
    pipe = "signatures-%d" % os.getpid()
    user = os.path.join(folder, "profile", "user")
    os.makedirs(user, exist_ok=True)
    with open(os.path.join(user, "registrymodifications.xcu"), "w") as registry:
        registry.write(LATER_VERSION)
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
        yield connect(pipe)
    finally:
        os.killpg(office.pid, signal.SIGKILL)
        office.wait()


def open_storage(context, path, mode):
    """A package as a storage of zip files; `mode` is one of css.embed.ElementModes."""
    as_zip = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
    as_zip.Name, as_zip.Value = "StorageFormat", "ZipFormat"
    options = uno.Any("[]com.sun.star.beans.PropertyValue", (as_zip,))
    factory = context.ServiceManager.createInstanceWithContext("com.sun.star.embed.StorageFactory", context)
    return uno.invoke(factory, "createInstanceWithArguments", (("file://" + path, mode, options),))
