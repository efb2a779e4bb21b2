"""Secrets in answers of Azure, written in ways in which a search for names and forms could miss them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from clients.azure.withholding import withheld

# No form of a known credential, so only what stands around it tells.
HIDDEN: Final = "Wq7rTzpL9mXv2Kc"
DOCUMENTS: Final[dict[str, Any]] = {
    "an object": {"smtpPassword": {"defaultValue": HIDDEN}},
    "users": {"passwords": {"sa": HIDDEN}},
    "a list": {"passwords": [HIDDEN]},
    "a list of objects": {"adminPassword": [{"value": HIDDEN}]},
    "deep below": {"apiKey": {"a": {"b": {"c": HIDDEN}}}},
    "a pair": {"key": "DB_PASSWORD", "value": HIDDEN},
    "a pair in capitals": {"NAME": "DB_PASSWORD", "VALUE": HIDDEN},
    "a pair of .NET": {"Key": "DB_PASSWORD", "Value": HIDDEN},
    "a column": {"tables": [{"columns": [{"name": "DB_PASSWORD"}], "rows": [["x"], [HIDDEN]]}]},
    "a column among others": {"columns": [{"name": "a"}, {"name": "password"}], "rows": [["x", HIDDEN]]},
    "a pair by its id": {"id": "password", "value": HIDDEN},
    "a pair by its label": {"Label": "DB Password", "val": HIDDEN},
    "a field of a form": {"type": "password", "default": HIDDEN},
    "a list of two": [["DB_HOST", "a"], ["DB_PASSWORD", HIDDEN]],
    "a list of two below": {"entries": [["DB_PASSWORD", {"current": HIDDEN}]]},
    "rows of names and values": {"columns": [{"name": "Name"}, {"name": "Value"}], "rows": [["DB_PASSWORD", HIDDEN]]},
    "a tag": {"tags": {"password": HIDDEN}},
    "an output": {"outputs": {"adminPassword": {"type": "String", "value": HIDDEN}}},
    "wide letters": {"\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44": HIDDEN},
    "letters of mathematics": {"\U0001d429assword": HIDDEN},
    "an invisible letter": {"pass\u200bword": HIDDEN},
    "a selector": {"pass\ufe0fword": HIDDEN},
    "blanks": {"Admin Password": HIDDEN},
    "dots": {"app.db.password": HIDDEN},
    "a colon": {"Db:Password": HIDDEN},
    "underscores": {"Db__Password": HIDDEN},
}
TEXTS: Final = {
    "token": "https://h.example.com/a?token={}",
    "key": "https://h.example.com/a?x=1&key={}",
    "code": "https://h.example.com/api/f?code={}",
    "code in capitals": "POST https://h.example.com/api/f?x=1&CODE={}&y=2",
    "an encoded code": "https://h.example.com/?u=https%3A%2F%2Fh%2Ff%3Fcode%3D{}%26x",
    "a signature of Amazon": "https://h.example.com/a?X-Amz-Signature={}",
    "auth": "https://h.example.com/a?auth={}",
    "signature": "https://h.example.com/a?signature={}",
    "a parameter in capitals": "https://h.example.com/a?KEY={}",
    "an encoded parameter": "https://h.example.com/a?to%6ben={}",
    "a wholly encoded parameter": "https://h.example.com/a?%74%6f%6b%65%6e={}",
    "a parameter behind a semicolon": "https://h.example.com/a?x=1;token={}",
    "a parameter in HTML": "https://h.example.com/a?x=1&amp;token={}",
    "a fragment": "https://h.example.com/a#access_token={}",
    "a short fragment": "https://h.example.com/a#token={}",
    "redis": "redis://:{}@cache:6379",
    "redis with TLS": "rediss://:{}@cache:6379",
    "AMQP": "amqps://u:{}@h/v",
    "an at sign": "postgres://u:{}@x@h/db",
    "JDBC": "jdbc:sqlserver://h;user=sa;password={}",
    "MySQL": "jdbc:mysql://h/db?user=u&password={}",
    "ODBC": "Driver=x;Server=h;Uid=sa;Pwd={};",
    "blanks around": "Server=h;User Id=sa;Password = {}",
    "an option": "run --password {}",
    "an option with a sign": "run --password={}",
    "an option in quotes": "run --password '{}'",
    "a variable": "PGPASSWORD={} psql",
    "curl": "curl -u admin:{} https://h",
    "a header": "curl -H 'Authorization: Bearer {}' https://h",
    "a header of a key": "curl -H 'x-api-key: {}' https://h",
    "a basic header": "Authorization: Basic {}",
    "a header in JSON": 'fetch(u, {{"Authorization": "Bearer {}"}})',
    "sshpass": "sshpass -p {} ssh h",
    "PowerShell": "$password = '{}'",
    "export": "export API_TOKEN={}",
    "YAML": "a: 1\npassword: {}\nb: 2",
    "YAML in quotes": 'db:\n  user: x\n  password: "{}"\n',
    "a block of YAML": "password: |\n  {}\nuser: x\n",
    "a folded block": "password: >-\n  {}\nuser: x\n",
    "YAML of containers": "env:\n- name: DB_PASSWORD\n  value: {}\n",
    "a quoted name": "'password': {}\n",
    "ends of Windows": "a: 1\r\npassword: {}\r\nb: 2",
    "JSON behind a mark": '\ufeff{{"password":"{}"}}',
    "JSON in JSON": '{{"a":"{{\\"password\\":\\"{}\\"}}"}}',
    "an escaped name": '{{"p\\u0061ssword":"{}"}}',
    "JSON in a log": '2026 INFO {{"password":"{}"}} done',
    "Python": "{{'password': '{}'}}",
    "an INI file": "[db]\npassword = {}\n",
    "properties": "spring.datasource.password={}\n",
    "an attribute": '<x name="x" password="{}"/>',
    "an element": "<password>{}</password>",
    "an element with attributes": '<password type="x">{}</password>',
    "a setting of .NET": '<add key="DbPassword" value="{}"/>',
    "a Dockerfile": "FROM a\nENV DB_PASSWORD {}\nRUN b",
    "a line of a Dockerfile": "ENV DB_PASSWORD {}",
    "quotes in a Dockerfile": "FROM a\n  ENV DB_PASSWORD '{} x'\n",
    "a web server": "SetEnv API_KEY {}",
    "a gateway": "location / {{\n  fastcgi_param DB_PASSWORD {};\n}}",
    "a shell of C": "setenv DB_PASSWORD {}",
    "fish": "set -gx DB_PASSWORD {}",
    "Windows": "setx DB_PASSWORD {} /M",
    "netrc": "machine h login u password {}",
    "the file of Redis": "port 6379\nrequirepass {}\n",
    "SQL": "CREATE USER u IDENTIFIED BY '{}'",
    "PostgreSQL": "ALTER ROLE u WITH PASSWORD '{}'",
    "Terraform": 'admin_password = "{}"',
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_no_secret_below_its_name_is_shown(document: dict[str, Any]) -> None:
    assert HIDDEN not in str(withheld(document))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_secret_within_a_text_is_shown(text: str) -> None:
    assert HIDDEN not in str(withheld({"text": text.format(HIDDEN)}))
