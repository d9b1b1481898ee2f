"""LangChain's adapter: tools as its agents call them."""

import asyncio
import os

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main():
    if url := os.environ.get("MCP_URL"):
        bearer = {"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"}
        server = {"transport": "streamable_http", "url": url, "headers": bearer}
    else:
        arguments = ["mcp", "--upstream", os.environ["UPSTREAM"]]
        server = {"transport": "stdio", "command": os.environ["PGSIEVE"], "args": arguments}
    client = MultiServerMCPClient({"pgsieve": server})
    tools = {tool.name: tool for tool in await client.get_tools()}
    print("tools:", sorted(tools))
    rows = await tools["query"].ainvoke({"sql": "SELECT count(*) AS orders FROM orders"})
    print("rows:", "[[400]]" in str(rows).replace(" ", ""))
    try:
        refused = await tools["query"].ainvoke({"sql": "DELETE FROM orders"})
    except Exception as error:
        refused = error
    print("refused:", "write_statement" in str(refused))


asyncio.run(main())
