"""The calls by which the agent framework runs itself; they are no work and never become steps."""

from __future__ import annotations

REQUEST_CREDENTIAL = "adk_request_credential"
REQUEST_CONFIRMATION = "adk_request_confirmation"
REQUEST_INPUT = "adk_request_input"

FRAMEWORK_CALLS = frozenset(
    {
        # asking the person
        REQUEST_CREDENTIAL,
        REQUEST_CONFIRMATION,
        REQUEST_INPUT,
        # moving between agents and ending
        "adk_framework",
        "transfer_to_agent",
        "exit_loop",
        "finish_task",
        # the shape of an answer
        "set_model_response",
        "structured_output",
        # loading context; memory must not feed on itself
        "load_memory",
        "preload_memory",
        "load_artifacts",
        "load_mcp_resource",
        "list_skills",
        "search_skills",
        "load_skill",
        "unload_skill",
        "load_skill_resource",
    }
)
"""What ADK 2.13 and its model adapters call on their own. `run_skill_script`, `execute_bash` and
`google_search` are real work and stay. Pass another set where a project has more of them."""
