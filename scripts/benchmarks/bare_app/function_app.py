"""The smallest possible function app. The response time of this app shows the overhead of the host."""

import azure.functions as func

app = func.FunctionApp(http_auth_level=func.AuthLevel.ANONYMOUS)


@app.route("mcp", methods=[func.HttpMethod.POST])
async def bare(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse(req.get_body(), mimetype="application/json")
