"""The protocol's own Python SDK: over HTTP where MCP_URL says where, else with PGSIEVE before UPSTREAM."""

import asyncio
import os

from mcp import ClientSession, StdioServerParameters
from mcp.client.auth import TokenStorage
from mcp.client.auth.extensions.client_credentials import ClientCredentialsOAuthProvider
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client
from mcp.types import ElicitResult


class Kept(TokenStorage):
    """Tokens for as long as this runs."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def answer(_context, asked):
    """What the person says to a form: the same in each field."""
    fields = asked.requestedSchema["properties"]
    return ElicitResult(action="accept", content={name: "since March" for name in fields})


async def main():
    url = os.environ.get("MCP_URL")
    if issuer := os.environ.get("MCP_ISSUER"):
        # The server is asked where tokens are given.
        credentials = ClientCredentialsOAuthProvider(
            server_url=url, storage=Kept(), client_id="trial", client_secret=os.environ["MCP_SECRET"],
            scopes="db:read", issuer=issuer,
        )
        transport = streamablehttp_client(url, auth=credentials)
    elif url:
        bearer = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
        transport = streamablehttp_client(url, headers=bearer)
    else:
        arguments = ["mcp", "--upstream", os.environ["UPSTREAM"]]
        transport = stdio_client(StdioServerParameters(command=os.environ["PGSIEVE"], args=arguments))
    async with transport as (reading, writing, *_):
        async with ClientSession(reading, writing, elicitation_callback=answer) as session:
            greeted = await session.initialize()
            print("server:", greeted.serverInfo.name)
            tools = (await session.list_tools()).tools
            print("tools:", [tool.name for tool in tools])
            # The SDK holds structured answers against the schemas that were listed.
            rows = await session.call_tool("query", {"sql": "SELECT id, name FROM customers WHERE id < 3 ORDER BY id"})
            print("rows:", rows.structuredContent["rows"])
            refused = await session.call_tool("query", {"sql": "DELETE FROM customers"})
            print("refused:", refused.isError, refused.structuredContent["error"]["rule"])
            why = await session.call_tool("why", {})
            print("why:", why.structuredContent["rule"])
            checked = await session.call_tool("check", {"sql": "SELECT joinedOn FROM customers"})
            print("checked:", checked.structuredContent["verdict"])
            told = await session.call_tool("describe", {"question": "Which customers are there?"})
            print("described:", "customers" in told.content[0].text)
            asked = await session.call_tool("describe", {"question": "Recent orders?", "clarify": ["recency"]})
            print("clarified:", asked.structuredContent["clarified"]["answers"][0]["answer"])
            resources = (await session.list_resources()).resources
            print("resources:", [str(resource.uri) for resource in resources][:2])
            read = await session.read_resource(resources[0].uri)
            print("read:", "customers" in read.contents[0].text)
            prompt = await session.get_prompt("write_sql", {"question": "How many customers?"})
            print("prompt:", "How many customers?" in prompt.messages[0].content.text)


asyncio.run(main())
