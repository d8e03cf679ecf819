"""What a program does with the API, through the client that openapi-python-client makes: see scripts/api-clients."""

import io
import os
import pathlib
import time

from docket_client import AuthenticatedClient, Client
from docket_client.api.documents import (
    find_document,
    find_run,
    follow_link,
    get_page,
    get_page_image,
    get_text,
    ingest,
    link_to_original,
)
from docket_client.api.search import ask, search
from docket_client.api.session import login
from docket_client.models import AskBody, LoginRequest, Problem, SearchBody, SearchFilters, UploadForm
from docket_client.types import File

READ_SECONDS = 60


def main():
    url = os.environ["DOCKET_URL"]
    original = pathlib.Path(os.environ["DOCKET_FILE"]).read_bytes()
    client = sign_in(url, os.environ["DOCKET_PASSWORD"])

    form = UploadForm(
        file=File(payload=io.BytesIO(original), file_name="lease-python.pdf", mime_type="application/pdf"),
        tag=["python"],
    )
    accepted = good(ingest.sync(client=client, body=form))
    wait_until_read(client, accepted.run_id)
    doc_id = accepted.doc_id
    document = good(find_document.sync(doc_id, client=client))
    assert (document.status, document.tags) == ("active", ["python"]), document

    filters = SearchFilters(document_ids=[doc_id])
    found = good(search.sync(client=client, body=SearchBody(query="deposit", filters=filters)))
    assert found.hits[0].doc_id == doc_id, found
    answered = good(ask.sync(client=client, body=AskBody(question="How much is the deposit?", filters=filters)))
    assert "3,200" in answered.answer, answered

    assert "deposit" in good(get_text.sync(doc_id, client=client))
    assert len(good(get_page.sync(doc_id, 1, client=client)).words) > 5
    picture = good(get_page_image.sync(doc_id, 1, client=client, width=320))
    assert picture.payload.read(4) == b"\x89PNG"

    link = good(link_to_original.sync(doc_id, client=client))
    downloaded = good(follow_link.sync(link.url.rsplit("/", 1)[-1], client=client))
    assert downloaded.payload.read() == original, "the original came back changed"

    refused = ingest.sync(client=client, body=UploadForm(file=File(payload=io.BytesIO(b""), file_name="empty.txt")))
    assert isinstance(refused, Problem) and refused.status == 400, refused


def sign_in(url, password):
    nobody = Client(base_url=url)
    refused = login.sync(client=nobody, body=LoginRequest(email="admin@localhost", password="wrong"))
    assert isinstance(refused, Problem) and refused.code == "wrong_credentials", refused
    token = good(login.sync(client=nobody, body=LoginRequest(email="admin@localhost", password=password))).token
    return AuthenticatedClient(base_url=url, token=token)


def wait_until_read(client, run_id):
    end = time.monotonic() + READ_SECONDS
    while time.monotonic() < end:
        run = good(find_run.sync(run_id, client=client))
        if run.status == "succeeded":
            return
        assert run.status != "failed", run.error
        time.sleep(0.2)
    raise AssertionError(f"the document was not read within {READ_SECONDS} s")


def good(answer):
    assert answer is not None and not isinstance(answer, Problem), answer
    return answer


main()
