"""LlamaIndex's adapter: tools as its agents call them."""

import asyncio
import os

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


async def main():
    if url := os.environ.get("MCP_URL"):
        client = BasicMCPClient(url, headers={"Authorization": f"Bearer {os.environ['MCP_TOKEN']}"})
    else:
        client = BasicMCPClient(os.environ["PGSIEVE"], args=["mcp", "--upstream", os.environ["UPSTREAM"]])
    tools = {tool.metadata.name: tool for tool in await McpToolSpec(client=client).to_tool_list_async()}
    print("tools:", sorted(tools))
    rows = await tools["query"].acall(sql="SELECT count(*) AS orders FROM orders")
    print("rows:", "[[400]]" in str(rows).replace(" ", ""))
    refused = await tools["query"].acall(sql="DELETE FROM orders")
    print("refused:", "write_statement" in str(refused))


asyncio.run(main())
