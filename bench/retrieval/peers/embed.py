"""Embeds texts with onnxruntime, and with plain numpy as the reference.

    embed.py MODEL TEXTS VECTORS [--threads N] [--rounds N] [--reference]

MODEL is a model folder, TEXTS a JSON list of texts. Writes the vectors to VECTORS (float32, one behind the
other) and prints {"seconds": by the clock, "cpu": of the processor}, of the best round. A model folder has no ONNX file, so the graph is made here of its weights, with
onnxruntime's own fused operators (Attention, SkipLayerNormalization, BiasGelu): what its optimiser makes of an
exported BERT. Texts are sorted by length and padded in batches of 32, as sentence-transformers does.
"""

import argparse
import json
import math
import os
import time

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

BATCH = 32


class Model:
    def __init__(self, folder):
        read = lambda name: json.load(open(os.path.join(folder, name)))
        self.config = read("config.json")
        self.weights = load_file(os.path.join(folder, "model.safetensors"))
        self.limit = min(self.config["max_position_embeddings"], read("sentence_bert_config.json")["max_seq_length"])
        self.first = read("1_Pooling/config.json").get("pooling_mode_cls_token", False)
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(self.limit)

    def tokens(self, texts):
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def pooled(self, rows, mask):
        if self.first:
            vectors = rows[:, 0]
        else:
            mask = mask[:, :, None].astype(np.float32)
            vectors = (rows * mask).sum(axis=1) / mask.sum(axis=1)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def graph_of(model):
    """The encoder as an ONNX model: ids, mask (batch × length) and positions (length) to rows (float, batch × length × hidden)."""
    from onnx import TensorProto, helper, numpy_helper

    weights, config = model.weights, model.config
    nodes, constants = [], []
    fused = {"domain": "com.microsoft"}

    def constant(name, values):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def norm(prefix):
        return [constant(f"{prefix}.{part}", weights[f"{prefix}.{part}"]) for part in ("weight", "bias")]

    epsilon = config.get("layer_norm_eps", 1e-12)
    word = node("Gather", [constant("words", weights["embeddings.word_embeddings.weight"]), "ids"], "word")
    table = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    place = node("Gather", [constant("places", table), "positions"], "place")
    rows = node("LayerNormalization", [node("Add", [word, place], "sum"), *norm("embeddings.LayerNorm")], "rows0",
                axis=-1, epsilon=epsilon)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        parts = [weights[f"{at}attention.self.{part}.weight"].T for part in ("query", "key", "value")]
        biases = [weights[f"{at}attention.self.{part}.bias"] for part in ("query", "key", "value")]
        attended = node("Attention", [rows, constant(at + "qkv", np.concatenate(parts, axis=1)),
                                      constant(at + "qkv_bias", np.concatenate(biases)), "mask"],
                        at + "attended", num_heads=config["num_attention_heads"], **fused)

        def linear(source, name):
            return node("MatMul", [source, constant(at + name, weights[f"{at}{name}.weight"].T)], f"{at}{name}.out")

        def bias(name):
            return constant(f"{at}{name}.b", weights[f"{at}{name}.bias"])

        rows = node("SkipLayerNormalization",
                    [linear(attended, "attention.output.dense"), rows, *norm(at + "attention.output.LayerNorm"),
                     bias("attention.output.dense")], at + "middle", epsilon=epsilon, **fused)
        wide = node("BiasGelu", [linear(rows, "intermediate.dense"), bias("intermediate.dense")], at + "wide", **fused)
        rows = node("SkipLayerNormalization",
                    [linear(wide, "output.dense"), rows, *norm(at + "output.LayerNorm"), bias("output.dense")],
                    at + "rows", epsilon=epsilon, **fused)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", "length"]) for name in ("ids", "mask")]
    inputs.append(helper.make_tensor_value_info("positions", TensorProto.INT32, ["length"]))
    output = helper.make_tensor_value_info(rows, TensorProto.FLOAT, ["batch", "length", config["hidden_size"]])
    graph = helper.make_graph(nodes, "bert", inputs, [output], constants)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=versions, ir_version=9).SerializeToString()


def with_onnxruntime(model, texts, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph_of(model), options, providers=["CPUExecutionProvider"])

    def embed():
        tokens = model.tokens(texts)
        order = sorted(range(len(tokens)), key=lambda text: -len(tokens[text]))
        vectors = np.empty((len(texts), model.config["hidden_size"]), np.float32)
        for start in range(0, len(order), BATCH):
            chosen = order[start:start + BATCH]
            longest = len(tokens[chosen[0]])
            ids = np.zeros((len(chosen), longest), np.int32)
            mask = np.zeros((len(chosen), longest), np.int32)
            for row, text in enumerate(chosen):
                ids[row, :len(tokens[text])] = tokens[text]
                mask[row, :len(tokens[text])] = 1
            inputs = {"ids": ids, "mask": mask, "positions": np.arange(longest, dtype=np.int32)}
            vectors[chosen] = model.pooled(session.run(None, inputs)[0], mask)
        return vectors

    return embed


def with_numpy(model, texts):
    """The definition of BERT, written out, in double precision."""
    weights = {name: values.astype(np.float64) for name, values in model.weights.items()}
    config = model.config
    heads = config["num_attention_heads"]
    erf = np.vectorize(math.erf)

    def norm(rows, name):
        centred = rows - rows.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + config.get("layer_norm_eps", 1e-12))
        return scaled * weights[name + ".weight"] + weights[name + ".bias"]

    def linear(rows, name):
        return rows @ weights[name + ".weight"].T + weights[name + ".bias"]

    def encode(ids):
        rows = weights["embeddings.word_embeddings.weight"][ids]
        rows = rows + weights["embeddings.position_embeddings.weight"][: len(ids)]
        rows = norm(rows + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(config["num_hidden_layers"]):
            at = f"encoder.layer.{layer}."
            split = lambda part: linear(rows, at + "attention.self." + part).reshape(len(ids), heads, -1).swapaxes(0, 1)
            query, key, value = split("query"), split("key"), split("value")
            scores = query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1])
            scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
            scores /= scores.sum(axis=-1, keepdims=True)
            attended = (scores @ value).swapaxes(0, 1).reshape(len(ids), -1)
            rows = norm(rows + linear(attended, at + "attention.output.dense"), at + "attention.output.LayerNorm")
            wide = linear(rows, at + "intermediate.dense")
            wide = wide * 0.5 * (1 + erf(wide / math.sqrt(2)))
            rows = norm(rows + linear(wide, at + "output.dense"), at + "output.LayerNorm")
        return rows

    def embed():
        rows = [encode(np.array(ids)) for ids in model.tokens(texts)]
        return np.concatenate([model.pooled(one[None], np.ones((1, len(one)))) for one in rows]).astype(np.float32)

    return embed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("texts")
    parser.add_argument("vectors")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--reference", action="store_true")
    options = parser.parse_args()
    model = Model(options.model)
    texts = json.load(open(options.texts))
    embed = with_numpy(model, texts) if options.reference else with_onnxruntime(model, texts, options.threads)
    best, cpu = math.inf, math.inf
    for _ in range(options.rounds):
        begin, used = time.perf_counter(), time.process_time()
        vectors = embed()
        best, cpu = min(best, time.perf_counter() - begin), min(cpu, time.process_time() - used)
    vectors.tofile(options.vectors)
    print(json.dumps({"seconds": best, "cpu": cpu}))


main()
