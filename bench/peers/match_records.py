"""Judges pairs of records with Splink and rapidfuzz, for the comparison with Docket.

Reads {"names": [[left, right], …], "sets": {name: {"left": […], "right": […], "pairs": [[i, j], …]}}} from standard input and
writes {"<set> <tool>": {"scores": […], "cpu_seconds": …}, …}: a score from 0 to 1 for each pair, in their order.
Run it with splink-python (`scripts/python-tool splink python`).
"""

import datetime
import json
import sys
import time

import pyarrow
import splink.comparison_level_library as levels
import splink.comparison_library as compare
from rapidfuzz import fuzz, utils
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

FEBRL = ["given_name", "surname", "street_number", "address_1", "suburb", "postcode", "state", "date_of_birth", "soc_sec_id"]
PAYMENT = ["memo", "transaction_date", "amount"]


def main():
    task = json.load(sys.stdin)
    answers = {"names rapidfuzz": timed(lambda: [ratio(*pair) for pair in task["names"]])}
    for name, columns, link in [("febrl1", FEBRL, people), ("transactions", PAYMENT, payments)]:
        data = task["sets"][name]
        answers[f"{name} rapidfuzz"] = timed(lambda: fuzzy(data, columns))
        answers[f"{name} splink"] = timed(lambda: link(data))
    json.dump(answers, sys.stdout)


def timed(judge):
    start = time.process_time()
    scores = judge()
    return {"scores": scores, "cpu_seconds": time.process_time() - start}


def ratio(left, right):
    return fuzz.WRatio(left, right, processor=utils.default_process) / 100


def fuzzy(data, columns):
    def text(record):
        return " ".join(record.get(column, "") for column in columns)

    left, right = [text(one) for one in data["left"]], [text(one) for one in data["right"]]
    return [ratio(left[i], right[j]) for i, j in data["pairs"]]


def people(data):
    """The comparisons of Splink's own tutorial for the febrl data, trained as it says there."""
    settings = SettingsCreator(
        link_type="dedupe_only",
        blocking_rules_to_generate_predictions=[block_on("pair_ids", arrays_to_explode=["pair_ids"])],
        comparisons=[
            compare.NameComparison("given_name"),
            compare.NameComparison("surname"),
            compare.ExactMatch("street_number"),
            compare.JaroWinklerAtThresholds("address_1", [0.9, 0.7]),
            compare.JaroWinklerAtThresholds("suburb", [0.9, 0.7]),
            compare.DamerauLevenshteinAtThresholds("postcode", [1, 2]),
            compare.DamerauLevenshteinAtThresholds("date_of_birth", [1, 2]),
            compare.DamerauLevenshteinAtThresholds("soc_sec_id", [1, 2]),
        ],
    )
    training = [block_on("date_of_birth"), block_on("postcode")]
    certain = [block_on("soc_sec_id"), block_on("given_name", "surname", "date_of_birth")]
    return linked(settings, [rows(data["left"], FEBRL)], data["pairs"], training, certain)


def payments(data):
    """The comparisons of Splink's own tutorial for these payments, with the levels that Docket has."""
    settings = SettingsCreator(
        link_type="link_only",
        blocking_rules_to_generate_predictions=[block_on("pair_ids", arrays_to_explode=["pair_ids"])],
        comparisons=[
            levels_of("amount", [("amount_l = amount_r", "equal")] + [
                (f"abs(amount_l - amount_r) / greatest(amount_l, amount_r) < {share}", f"within {share}")
                for share in (0.01, 0.03, 0.1, 0.3)
            ]),
            levels_of("transaction_date", [
                (f"transaction_date_r - transaction_date_l between {first} and {last}", f"{first} to {last} days")
                for first, last in ((0, 0), (1, 2), (3, 7), (8, 31), (-31, -1))
            ]),
            levels_of("memo", [("memo_l = memo_r", "equal")] + [
                (f"substr(memo_l, 1, {length}) = substr(memo_r, 1, {length})", f"first {length}") for length in (9, 6, 4)
            ] + [("jaro_winkler_similarity(memo_l, memo_r) > 0.8", "similar")]),
        ],
    )
    training = [block_on("memo"), block_on("amount")]
    certain = [block_on("memo", "amount")]
    tables = [rows(data["left"], PAYMENT), rows(data["right"], PAYMENT)]
    for table in tables:
        for row in table:
            row["amount"] = float(row["amount"])
            row["transaction_date"] = datetime.date.fromisoformat(row["transaction_date"]).toordinal()
    return linked(settings, tables, data["pairs"], training, certain)


def levels_of(column, conditions):
    custom = [levels.CustomLevel(condition, label) for condition, label in conditions]
    return compare.CustomComparison(
        output_column_name=column, comparison_levels=[levels.NullLevel(column), *custom, levels.ElseLevel()]
    )


def rows(records, columns):
    return [{"unique_id": i, **{c: one.get(c) or None for c in columns}, "pair_ids": []} for i, one in enumerate(records)]


def linked(settings, tables, pairs, training, certain):
    """Splink's probability of each pair. A pair is blocked by its own number, so that Splink judges exactly these."""
    for number, (i, j) in enumerate(pairs):
        tables[0][i]["pair_ids"].append(number)
        tables[-1][j]["pair_ids"].append(number)
    api = DuckDBAPI()
    registered = [api.register(pyarrow.Table.from_pylist(table), dataset_display_name=f"t{n}") for n, table in enumerate(tables)]
    linker = Linker(registered, settings, log_level="ERROR")
    linker.training.estimate_probability_two_random_records_match(certain, recall=0.7)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for rule in training:
        linker.training.estimate_parameters_using_expectation_maximisation(rule)
    found = linker.inference.predict(threshold_match_probability=0.0).as_record_list()
    numbers = {(i, j): number for number, (i, j) in enumerate(pairs)}
    scores = [0.0] * len(pairs)
    for one in found:
        i, j = one["unique_id_l"], one["unique_id_r"]
        number = numbers.get((i, j), numbers.get((j, i)))
        if number is not None:
            scores[number] = one["match_probability"]
    return scores


main()
