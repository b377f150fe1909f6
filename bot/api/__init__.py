"""What the pages show, as JSON: `/api/v1`, with an OpenAPI document."""
