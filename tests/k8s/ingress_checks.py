"""What is promised of the way through the ingress: TLS alone, of today's versions, and each client counted by its own address."""
from machine import Trouble, run, until

HOST = "tideline.example"
KEYS = "/.well-known/jwks.json"
# Requests without a token from one address in 10 s, for the time of the check.
FEW = 20


class Ingress:
    def __init__(self, suite):
        self.suite = suite
        self.authority = suite.secrets / "tls/ca.crt"
        # One of its pods: each is an address that the gateway sees.
        self.address = suite.cluster.kubectl("-n", "projectcontour", "get", "pods", "-l", "app=envoy", "-o",
                                             "jsonpath={.items[0].status.podIP}").stdout

    def curl(self, scheme, path, *words, place=None):
        """Status of the answer, and where it sends the client."""
        port, own = {"http": (80, 8080), "https": (443, 8443)}[scheme]
        done = run(*(place or self.suite.cluster.inside()), "curl", "-sS", "-m", 10, "--cacert", self.authority, "-o", "/dev/null",
                   "--connect-to", f"{HOST}:{port}:{self.address}:{own}", "-w", "%{http_code} %{redirect_url}\\n", *words, f"{scheme}://{HOST}{path}")
        return [line.strip() for line in done.stdout.splitlines()]

    def hello(self, version):
        """The versions that openssl itself would refuse are asked for all the same: the server has to."""
        done = run(*self.suite.cluster.inside(), "openssl", "s_client", "-connect", f"{self.address}:8443", "-servername", HOST,
                   "-verify_return_error", "-CAfile", self.authority, "-verify_hostname", HOST, f"-{version}", "-cipher", "ALL:@SECLEVEL=0",
                   check=False, input="")
        return done.returncode == 0, "alert protocol version" in done.stderr


def check_tls(ingress):
    answers = ingress.curl("http", f"{KEYS}?a=b")
    if answers != [f"301 https://{HOST}{KEYS}?a=b"]:
        raise Trouble(f"plain HTTP is answered {answers}")
    if ingress.curl("https", KEYS) != ["200"]:
        raise Trouble("the ingress does not answer over TLS")
    for version, expected in (("tls1", (False, True)), ("tls1_1", (False, True)), ("tls1_2", (True, False)), ("tls1_3", (True, False))):
        if (said := ingress.hello(version)) != expected:
            raise Trouble(f"{version}: connected, refused for its version: {said}")


def check_sources(ingress):
    """Who tells the address of somebody else is counted by his own, and nobody else is."""
    suite = ingress.suite
    suite.kubectl("set", "env", "deployment/gateway", f"TIDELINE_RATE_ANONYMOUS={FEW}")
    suite.await_rolled("gateway")
    # Until the ingress has heard of the pod, and the one before answers no more.
    until("one gateway answers", lambda: len(suite.pods("gateway")) == 1 and ingress.curl("https", KEYS) == ["200"])
    other = ["nsenter", f"--net=/run/netns/{suite.cluster.nodes[0].namespace}"]
    answers = []
    for number in range(2 * FEW):
        forged = f"198.51.100.{number}"
        answers += ingress.curl("https", KEYS, "-H", f"X-Forwarded-For: {forged}", "-H", f"X-Real-IP: {forged}",
                                "-H", f"Forwarded: for={forged}")
    if set(answers) != {"200", "429"} or answers[-1] != "429":
        raise Trouble(f"another address with each request: {answers}")
    if ingress.curl("https", KEYS, place=other) != ["200"]:
        raise Trouble("a client has to pay for what another one asks")
    suite.kubectl("set", "env", "deployment/gateway", "TIDELINE_RATE_ANONYMOUS-")
    suite.await_rolled("gateway")


def check_ingress(suite):
    ingress = Ingress(suite)
    check_tls(ingress)
    check_sources(ingress)
    suite.say("the ingress: TLS alone, 1.2 and 1.3; who forges an address is counted by his own")
