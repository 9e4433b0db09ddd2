"""An authority of a test's own, for certificates of servers on this machine and of their clients."""
import os
import shutil
import subprocess


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments}\n{done.stderr}")


class Authority:
    """Vouches for the servers; `folder` is made, and readable by them. `owner`: who may read the keys, where root makes them.
    `known`: certificate and key of an authority that there is; none: a new one."""

    def __init__(self, folder, owner="tideline", known=None):
        self.folder = folder
        self.owner = owner
        folder.mkdir(mode=0o755, exist_ok=bool(known))
        self.certificate, self.key = known or (folder / "ca.pem", folder / "ca.key")
        if not known:
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
                    "-subj", "/CN=Tideline tests", "-keyout", self.key, "-out", self.certificate)

    def certify(self, name, *hosts, subject=None):
        """Files with the certificate of `hosts` ("IP:127.0.0.1", "DNS:accounts") and with its key; beside them one with both.
        `subject`: "/O=admins/CN=me"; none: the name."""
        key, request, chain = (self.folder / f"{name}.{kind}" for kind in ("key", "csr", "chain.pem"))
        names = ["-addext", f"subjectAltName={','.join(hosts)}"] if hosts else []
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject or f"/CN={name}",
                *names, "-keyout", key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key,
                "-days", 2, "-copy_extensions", "copy", "-out", self.folder / f"{name}.pem")
        chain.write_text(key.read_text() + (self.folder / f"{name}.pem").read_text())
        for file in (key, chain):
            file.chmod(0o600)
            if os.getuid() == 0:
                shutil.chown(file, self.owner)
        return self.folder / f"{name}.pem", key
