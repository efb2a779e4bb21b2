"""Predicates that read other tenants where somebody writes them into `c.tenantId = '…' AND (…)`."""

from __future__ import annotations

from typing import Final

# The seven that were known.
KNOWN: Final = [
    "1=1) OR (1=1",
    "c.n>0) OR IS_DEFINED(c.id) OR (c.n>0",
    "true) OR c.tenantId != 'contoso' OR (true",
    "c.id='x') OR EXISTS(SELECT VALUE t FROM t IN c.tags) OR (false",
    "c.n = 1) OR c.tenantId IN ('fabrikam') OR (false",
    "false) OR (c.tenantId = 'fabrikam'",
    "1=1) -- ",
]
# By what makes them true of a record of somebody else.
OF_EVERYTHING: Final = [
    "true) OR (true",
    "false) OR NOT (false",
    "1=0) OR 1=1 OR (1=0",
    "1 < 2) OR (1 < 2",
    "'a' = 'a') OR ('a' = 'a'",
    "'a' != 'b') OR ('a' != 'b'",
    "null = null) OR (null = null",
    "c.id = c.id) OR (c.id = c.id",
    "c.n = c.n) OR (c.tenantId = c.tenantId",
    "NOT false) OR (NOT false",
    "2 BETWEEN 1 AND 3) OR (2 BETWEEN 1 AND 3",
    "1 IN (1, 2)) OR (1 IN (1, 2)",
    "1+1=2) OR (1+1=2",
    "2*2 > 3) OR (2*2 > 3",
    "IS_NUMBER(1)) OR (IS_NUMBER(1)",
    "IS_STRING('a')) OR (IS_STRING('a')",
]
OF_THE_TENANT: Final = [
    "false) OR c.tenantId > 'd' OR (false",
    "false) OR c.tenantId >= 'fabrikam' OR (false",
    "false) OR c.tenantId <> 'contoso' OR (false",
    "false) OR NOT (c.tenantId = 'contoso') OR (false",
    "false) OR c['tenantId'] = 'fabrikam' OR (false",
    'false) OR c["tenantId"] = "fabrikam" OR (false',
    "false) OR c.tenantId BETWEEN 'e' AND 'g' OR (false",
    "false) OR 'fabrikam' = c.tenantId OR (false",
    "false) OR STARTSWITH(c.tenantId, 'f') OR (false",
    "false) OR ENDSWITH(c.tenantId, 'kam') OR (false",
    "false) OR CONTAINS(c.tenantId, 'bri') OR (false",
    "false) OR UPPER(c.tenantId) = 'FABRIKAM' OR (false",
    "false) OR LENGTH(c.tenantId) = 8 OR (false",
    "false) OR CONCAT(c.tenantId, '') = 'fabrikam' OR (false",
    "false) OR LEFT(c.tenantId, 1) = 'f' OR (false",
    "false) OR RIGHT(c.tenantId, 1) = 'm' OR (false",
    "false) OR SUBSTRING(c.tenantId, 0, 3) = 'fab' OR (false",
    "false) OR REPLACE(c.tenantId, 'fab', '') = 'rikam' OR (false",
    "false) OR REVERSE(c.tenantId) = 'makirbaf' OR (false",
    "false) OR INDEX_OF(c.tenantId, 'f') = 0 OR (false",
    "false) OR c.tenantId IN ('x', 'fabrikam', 'y') OR (false",
    "false) OR TRIM(c.tenantId) = 'fabrikam' OR (false",
    "false) OR LOWER(c.tenantId) = 'fabrikam' OR (false",
    "false) OR ARRAY_CONTAINS(['fabrikam'], c.tenantId) OR (false",
]
OF_THE_RECORD: Final = [
    "false) OR c.id = 'bait' OR (false",
    "false) OR c['id'] = 'bait' OR (false",
    "false) OR c.n >= 0 OR (false",
    "false) OR c.n BETWEEN 0 AND 9 OR (false",
    "false) OR c.n IN (1, 2, 3) OR (false",
    "false) OR IS_DEFINED(c.name) OR (false",
    "false) OR IS_STRING(c.name) OR (false",
    "false) OR NOT IS_NULL(c.name) OR (false",
    "false) OR NOT IS_DEFINED(c.nothing) OR (false",
    "false) OR IS_ARRAY(c.tags) OR (false",
    "false) OR IS_OBJECT(c) OR (false",
    "false) OR ARRAY_CONTAINS(c.tags, 'a') OR (false",
    "false) OR ARRAY_LENGTH(c.tags) = 1 OR (false",
    "false) OR c.tags[0] = 'a' OR (false",
    "false) OR ABS(c.n) = 1 OR (false",
    "false) OR ROUND(c.n) = 1 OR (false",
    "false) OR LENGTH(c.name) > 0 OR (false",
    "false) OR EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'a') OR (false",
    "true) OR true -- and nothing more\n OR (true",
]
MORE: Final = [*OF_EVERYTHING, *OF_THE_TENANT, *OF_THE_RECORD]
