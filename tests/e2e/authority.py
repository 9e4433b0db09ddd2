"""An authority of a test's own, whose certificates servers on this machine show."""
import os
import shutil
import subprocess

from parts import fail


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"openssl {arguments}\n{done.stderr}")


class Authority:
    """Vouches for the servers; `folder` is made, and readable by them."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(mode=0o755)
        self.certificate = folder / "ca.pem"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
                "-subj", "/CN=Tideline tests", "-keyout", folder / "ca.key", "-out", self.certificate)

    def certify(self, name, *hosts):
        """Files with the certificate of `hosts` ("IP:127.0.0.1", "DNS:accounts") and with its key; beside them one with both."""
        key, request, chain = (self.folder / f"{name}.{kind}" for kind in ("key", "csr", "chain.pem"))
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                "-addext", f"subjectAltName={','.join(hosts)}", "-keyout", key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.folder / "ca.key",
                "-days", 2, "-copy_extensions", "copy", "-out", self.folder / f"{name}.pem")
        chain.write_text(key.read_text() + (self.folder / f"{name}.pem").read_text())
        for file in (key, chain):
            file.chmod(0o600)
            if os.getuid() == 0:
                shutil.chown(file, "tideline")
        return self.folder / f"{name}.pem", key
