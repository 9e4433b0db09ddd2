"""A name server that says where the instances of services are, as Kubernetes does for headless services."""
from dnslib import QTYPE, RCODE, RR, SRV, A
from dnslib.server import BaseResolver, DNSLogger, DNSServer

DOMAIN = "campus.test"


class Names(BaseResolver):
    """`ports`: of each service, by the names of its instances; may change at any time. `questions`: how many there were.
    `fails`: every one, and how many there were is in `failures`."""

    def __init__(self):
        self.ports = {}
        self.questions = 0
        self.fails, self.failures = False, 0
        self.server = DNSServer(self, address="127.0.0.1", port=0, logger=DNSLogger("error"))
        self.server.start_thread()

    @property
    def address(self):
        return "127.0.0.1:%d" % self.server.server.server_address[1]

    def close(self):
        self.server.stop()
        self.server.server.server_close()

    def resolve(self, request, handler):
        reply = request.reply()
        self.questions += 1
        if self.fails:
            self.failures += 1
            reply.header.rcode = RCODE.SERVFAIL
            return reply
        asked = str(request.q.qname).rstrip(".")
        for service, instances in self.ports.items():
            if asked != f"_http._tcp.{service}.{DOMAIN}" or request.q.qtype != QTYPE.SRV:
                continue
            for name, port in instances.items():
                host = f"{name}.{service}.{DOMAIN}"
                reply.add_answer(RR(asked, QTYPE.SRV, rdata=SRV(0, 10, port, host), ttl=1))
                reply.add_ar(RR(host, QTYPE.A, rdata=A("127.0.0.1"), ttl=1))
        if not reply.rr:
            reply.header.rcode = RCODE.NXDOMAIN
        return reply
