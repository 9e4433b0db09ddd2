#!/usr/bin/env python3
"""secured.py BUILD: accounts and social-graph with a gateway, a PostgreSQL and a Kafka that speak TLS alone and know who asks.

Services name the authority that they trust, and go on as ever. A server that another authority vouches for is not spoken
to. Kafka lets each service write to its own topics only: what feed forges for accounts is refused. Services answer the
gateway and nobody else. Everything runs in a folder and on ports of its own.
"""
import pathlib
import secrets
import shutil
import subprocess
import sys

from parts import PARTS, Service, fail, free_ports, kill, part, position_of, program, registration, temporary_folder, until
from whole_suite import registry

from authority import Authority

BUILD = pathlib.Path(sys.argv[1])
GRANT = PARTS.parent / "kafka/grant"
SERVICES = {"accounts": "tideline_accounts", "social-graph": "tideline_social_graph"}
# The names of deploy/kafka/server.properties.template with TLS and passwords; who has no certificate of ours gets nowhere.
BROKER = """
listeners=SASL_SSL://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=SASL_SSL://127.0.0.1:{port}
listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
inter.broker.listener.name=SASL_SSL
sasl.enabled.mechanisms=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
sasl.mechanism.controller.protocol=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config={jaas}
listener.name.controller.plain.sasl.jaas.config={jaas}
ssl.keystore.type=PEM
ssl.keystore.location={folder}/tls/server.chain.pem
ssl.truststore.type=PEM
ssl.truststore.location={folder}/tls/ca.pem
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:admin
"""
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
ADMIN = """security.protocol=SASL_SSL
sasl.mechanism=PLAIN
sasl.jaas.config={login} username="admin" password="{password}";
ssl.truststore.type=PEM
ssl.truststore.location={ca}
"""


class Suite:
    def __init__(self, folder):
        self.folder = folder
        self.pg_port, self.kafka_port, controller, self.gateway_port, self.metrics_port, *ports = free_ports(9)
        self.ports = dict(zip(SERVICES, ports[:2]))
        self.health_ports = dict(zip(SERVICES, ports[2:]))
        self.controller_port = controller
        self.authority = Authority(folder / "tls")
        self.stranger = Authority(folder / "another")
        self.certificate, self.key = self.authority.certify("server", "IP:127.0.0.1")
        self.passwords = {user: secrets.token_hex(16) for user in ("admin", "feed", *SERVICES)}
        self.gateway = Service(self.gateway_port)

    def start_postgres(self):
        arguments = ["--data", self.folder / "pg", "--port", self.pg_port, "--shared-buffers", "64MB"]
        part("postgres", "start", *arguments)
        for database in SERVICES.values():
            part("postgres", "database", "--data", self.folder / "pg", "--name", database)
        part("postgres", "stop", "--data", self.folder / "pg")
        cluster = self.folder / "pg/cluster"
        with open(cluster / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write(f"ssl = on\nssl_cert_file = '{self.certificate}'\nssl_key_file = '{self.key}'\n")
        (cluster / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n", encoding="utf-8")
        part("postgres", "start", *arguments)

    def start_kafka(self):
        users = " ".join(f'user_{user}="{password}"' for user, password in self.passwords.items())
        jaas = f'{LOGIN} username="admin" password="{self.passwords["admin"]}" {users};'
        properties = self.folder / "broker.properties"
        properties.write_text(BROKER.format(port=self.kafka_port, controller=self.controller_port, jaas=jaas,
                                            folder=self.folder), encoding="utf-8")
        part("kafka", "start", "--data", self.folder / "kafka", "--heap", "320m", "--port", self.kafka_port,
             "--controller-port", self.controller_port, "--properties", properties)
        admin = self.folder / "admin.properties"
        admin.write_text(ADMIN.format(login=LOGIN, password=self.passwords["admin"], ca=self.authority.certificate),
                         encoding="utf-8")
        granted = subprocess.run([GRANT, "--bootstrap-server", f"127.0.0.1:{self.kafka_port}", "--command-config", admin,
                                  *SERVICES, "feed"], capture_output=True, text=True, check=False)
        if granted.returncode != 0:
            fail(f"deploy/kafka/grant\n{granted.stdout}{granted.stderr}")

    def security_of(self, user, authority):
        """A file for librdkafka."""
        file = self.folder / f"{user}.{authority.folder.name}.properties"
        file.write_text("security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n"
                        f"sasl.username={user}\nsasl.password={self.passwords[user]}\n"
                        f"ssl.ca.location={authority.certificate}\n", encoding="utf-8")
        return file

    def database_of(self, name, authority):
        """A file with a line for libpq."""
        line = (self.folder / "pg/databases" / SERVICES[name]).read_text(encoding="utf-8").strip()
        file = self.folder / f"{name}.{authority.folder.name}.database"
        file.write_text(f"{line} sslmode=verify-full sslrootcert={authority.certificate}\n", encoding="utf-8")
        return file

    def start_service(self, name):
        kid = part("secrets", "--data", self.folder / "secrets").splitlines()[-1]
        # The gateway wants all five services: accounts is there for those that this test does not run.
        names = [name] if name == "social-graph" else ["accounts", "projects", "feed", "scoring"]
        certificate, key = self.authority.certify(name, *[f"DNS:{one}" for one in names])
        settings = [f"TIDELINE_KAFKA_SECURITY_FILE={self.security_of(name, self.authority)}",
                    f"TIDELINE_HTTP_TLS_CERTIFICATE={certificate}", f"TIDELINE_HTTP_TLS_KEY={key}",
                    f"TIDELINE_HTTP_TLS_AUTHORITY={self.authority.certificate}",
                    f"TIDELINE_HEALTH_PORT={self.health_ports[name]}"]
        if name == "accounts":
            settings.append(f"TIDELINE_JWT_SIGNING_KEY={self.folder}/secrets/jwt/{kid}.pem")
        part("services", "start", "--data", self.folder / name, "--name", name, "--binary", program(BUILD, name),
             "--port", self.ports[name], "--database", self.database_of(name, self.authority),
             "--brokers", f"127.0.0.1:{self.kafka_port}", "--secrets", self.folder / "secrets",
             *[word for one in settings for word in ("--set", one)])

    def start_gateway(self):
        self.authority.certify("gateway", "DNS:gateway")
        kid = part("secrets", "--data", self.folder / "secrets").splitlines()[-1]
        addresses = {name: f"127.0.0.1:{self.ports.get(name, self.ports['accounts'])}" for name in registry.names()}
        part("gateway", "start", "--data", self.folder / "gateway", "--port", self.gateway_port,
             "--metrics-port", self.metrics_port, "--kid", kid, "--key", self.folder / f"secrets/jwt_public/{kid}.pem",
             *[word for name, address in addresses.items() for word in (f"--{name}", address)],
             environment={"TIDELINE_SERVICES_AUTHORITY": str(self.authority.certificate),
                          "TIDELINE_GATEWAY_CERTIFICATE": str(self.authority.folder / "gateway.chain.pem")})

    def start(self):
        self.start_postgres()
        self.start_kafka()
        for name in SERVICES:
            self.start_service(name)
        self.start_gateway()

    def ask_accounts(self, *options):
        """Not by way of the gateway: curl's exit code, and what it says."""
        done = subprocess.run(["curl", "-sS", "-m", "10", "--cacert", self.authority.certificate,
                               "--connect-to", f"::127.0.0.1:{self.ports['accounts']}", *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def kcat(self, user, authority, *arguments, record=None):
        """Its exit code, and what it says."""
        options = [word for line in self.security_of(user, authority).read_text().splitlines() for word in ("-X", line)]
        done = subprocess.run(["kcat", "-b", f"127.0.0.1:{self.kafka_port}", *options, "-X", "message.timeout.ms=20000",
                               *arguments], input=record, capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def psql(self, name, authority, *changes):
        conninfo = " ".join([self.database_of(name, authority).read_text().strip(), *changes])
        done = subprocess.run(["psql", conninfo, "-XAtc", "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"],
                              capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).strip()

    def stop(self):
        kill(self.folder / "gateway", "gateway")
        for name in SERVICES:
            kill(self.folder / name, "services")
        kill(self.folder / "kafka", "kafka")
        kill(self.folder / "pg", "postgres")


def check_that_it_works(suite):
    """An account that social-graph knows: through the gateway, and from one database to the other by way of the broker."""
    people = []
    for user in ("ada", "ben"):
        headers, answer = suite.gateway.expect(201, "POST", "/v1/accounts", None, registration(user))
        people.append((answer["session"]["access_token"], position_of(headers)))
    until("social-graph knows both", lambda: suite.gateway.call(
        "PUT", "/v1/follows/ben", people[0][0], None, Tideline_Position=people[1][1])[0] == 200)


def check_forgeries(suite):
    ends = suite.kcat("accounts", suite.authority, "-Q", "-t", "tideline.accounts:0:-1")[1]
    for user, topic, may in (("feed", "tideline.accounts", False), ("feed", "tideline.profiles", False),
                             ("social-graph", "tideline.accounts", False), ("accounts", "tideline.profiles", True)):
        code, said = suite.kcat(user, suite.authority, "-P", "-t", topic, "-p", "0", "-k", "forged", record="{}")
        if may != (code == 0) or not may and "authorization failed" not in said:
            fail(f"{user} writes to {topic}: {code} {said}")
    if suite.kcat("accounts", suite.authority, "-Q", "-t", "tideline.accounts:0:-1")[1] != ends:
        fail("a forged record is in the topic")
    print("what a service forges for another is refused")


def check_strangers(suite):
    code, said = suite.kcat("accounts", suite.stranger, "-L", "-m", "3")
    if code == 0 or "certificate verify failed" not in said:
        fail(f"a broker that another authority vouches for is spoken to: {code} {said}")
    plain = subprocess.run(["kcat", "-b", f"127.0.0.1:{suite.kafka_port}", "-L", "-m", "3"], capture_output=True, text=True, check=False)
    if plain.returncode == 0:
        fail(f"the broker speaks in clear: {plain.stdout}")
    if suite.psql("accounts", suite.authority) != (0, "t"):
        fail(f"PostgreSQL: {suite.psql('accounts', suite.authority)}")
    for authority, changes in ((suite.stranger, []), (suite.authority, ["sslmode=disable"]), (suite.authority, ["host=localhost"])):
        code, said = suite.psql("accounts", authority, *changes)
        if code == 0:
            fail(f"PostgreSQL is spoken to as {changes} trusting {authority.folder.name}")
    print("strangers are not spoken to, nothing goes in clear")


def check_that_only_the_gateway_is_answered(suite):
    url = "https://accounts/.well-known/jwks.json"
    suite.authority.certify("scoring", "DNS:scoring")
    suite.stranger.certify("gateway", "DNS:gateway")

    def showing(authority, name):
        return "--cert", authority.folder / f"{name}.chain.pem"
    if suite.ask_accounts(*showing(suite.authority, "gateway"), url)[0] != 0:
        fail(f"accounts and the gateway: {suite.ask_accounts(*showing(suite.authority, 'gateway'), url)}")
    for who, options in {"nobody": [url], "scoring": [*showing(suite.authority, "scoring"), url],
                         "a gateway of strangers": [*showing(suite.stranger, "gateway"), url],
                         "who speaks in clear": [url.replace("https", "http")]}.items():
        code, said = suite.ask_accounts(*options)
        if code == 0:
            fail(f"{who} is answered: {said}")
    print("services answer the gateway alone")


def check_names(suite):
    """Of a service's certificate, which is renewed while it serves: the gateway asks for that of the service."""
    suite.authority.certify("accounts", "DNS:accounts")
    watch = Service(suite.metrics_port)

    def reached():
        return watch.expect(200, "GET", "/readyz")[1]["services"]
    until(lambda: f"accounts stands for nobody else: {reached()}",
          lambda: (reached()["accounts"], reached()["projects"], reached()["scoring"]) == (1, 0, 0))


def check_service_among_strangers(suite):
    """It waits, and says why."""
    config = (suite.folder / "accounts/config").read_text(encoding="utf-8")
    wrong = suite.folder / "strange.config"
    wrong.write_text(config.replace(f"sslrootcert={suite.authority.certificate}", f"sslrootcert={suite.stranger.certificate}")
                     .replace(f"TIDELINE_HEALTH_PORT={suite.health_ports['accounts']}", "TIDELINE_HEALTH_PORT=0")
                     .replace(f"TIDELINE_LOG_FILE={suite.folder}/accounts/log", "TIDELINE_LOG_LEVEL=info"), encoding="utf-8")
    with subprocess.Popen([program(BUILD, "accounts"), "--config", wrong], stderr=subprocess.PIPE, text=True) as service:
        try:
            said = service.stderr.readline()
        finally:
            service.kill()
    if "certificate verify failed" not in said:
        fail(f"accounts starts with a PostgreSQL of strangers: {said}")


def check_wrong_settings(suite):
    """Are told before anything starts."""
    config = (suite.folder / "accounts/config").read_text(encoding="utf-8")
    for line, told in (("ssl.ca.location=/no/such/ca.pem", "ssl.ca.location"), ("acks=0", "acks")):
        file = suite.folder / "wrong.properties"
        file.write_text(f"security.protocol=SSL\n{line}\n", encoding="utf-8")
        wrong = suite.folder / "wrong.config"
        wrong.write_text(config.replace(str(suite.security_of("accounts", suite.authority)), str(file)), encoding="utf-8")
        done = subprocess.run([program(BUILD, "accounts"), "--config", wrong, "--check"], capture_output=True, text=True, check=False)
        if done.returncode != 2 or told not in done.stderr or "TIDELINE_KAFKA_SECURITY_FILE" not in done.stderr:
            fail(f"{line}: {done.returncode} {done.stderr}")


def main():
    folder = pathlib.Path(temporary_folder("secured"))
    suite = Suite(folder)
    try:
        suite.start()
        check_that_it_works(suite)
        check_forgeries(suite)
        check_strangers(suite)
        check_that_only_the_gateway_is_answered(suite)
        check_names(suite)
        check_service_among_strangers(suite)
        check_wrong_settings(suite)
        print("done")
    finally:
        suite.stop()
        shutil.rmtree(folder, ignore_errors=True)


main()
