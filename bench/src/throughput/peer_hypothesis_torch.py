#!/usr/bin/python3
"""The natural alternative to ulpfuzz, for comparison: Hypothesis with PyTorch and functorch.

Checks random networks and batches (depth 1..4, widths 1..32, relu, tanh or sigmoid, PyTorch's
initialisation, normal data, at most 6 cuts) on one thread:

  forward   the batch against the same rows in slices (batch 1..64);
  gradient  one autograd.grad per row and output against vmap(jacrev) and vmap(jacfwd), with respect
            to all parameters and inputs (batch 1..8).

Sizes are drawn twice: from a random seed that Hypothesis draws ("same": uniform, the distribution of
bench/throughput) and by Hypothesis' own strategies ("strategies": they favour small values).
Prints one JSON object: cases per second and what a case was like on average. Exit code 4: the
packages are not there.
"""
import argparse
import json
import math
import random
import sys
import time

try:
    import functorch
    import hypothesis
    import torch
    from hypothesis import strategies as st
except ImportError as error:
    print(f"{error}; run: ci/setup --bench", file=sys.stderr)
    sys.exit(4)

ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid}


def uniform_recipe(seed, max_batch):
    choose = random.Random(seed)
    batch = choose.randint(1, max_batch)
    cuts = choose.randint(0, min(6, batch - 1))
    return {
        "widths": [choose.randint(1, 32) for _ in range(choose.randint(1, 4) + 1)],
        "activation": choose.choice(sorted(ACTIVATIONS)),
        "batch": batch,
        "cuts": set(choose.sample(range(1, batch), cuts)),
        "seed": choose.getrandbits(32),
    }


def uniform_recipes(max_batch):
    return st.integers(0, 2**64 - 1).map(lambda seed: uniform_recipe(seed, max_batch))


@st.composite
def strategy_recipes(draw, max_batch):
    depth = draw(st.integers(1, 4))
    batch = draw(st.integers(1, max_batch))
    return {
        "widths": draw(st.lists(st.integers(1, 32), min_size=depth + 1, max_size=depth + 1)),
        "activation": draw(st.sampled_from(sorted(ACTIVATIONS))),
        "batch": batch,
        "cuts": draw(st.sets(st.integers(1, batch - 1), max_size=6)) if batch > 1 else set(),
        "seed": draw(st.integers(0, 2**32 - 1)),
    }


def build(recipe):
    """Parameters [W1, b1, W2, b2, ...], the batch, and f(parameters, x)."""
    generator = torch.Generator().manual_seed(recipe["seed"])
    widths, phi = recipe["widths"], ACTIVATIONS[recipe["activation"]]
    parameters = []
    for fan_in, fan_out in zip(widths, widths[1:]):
        limit = 1 / math.sqrt(fan_in)
        for shape in ((fan_out, fan_in), (fan_out,)):
            parameters.append((torch.rand(shape, generator=generator) * 2 - 1) * limit)
    x = torch.randn(recipe["batch"], widths[0], generator=generator)

    def network(parameters, x):
        for layer in range(0, len(parameters), 2):
            x = torch.nn.functional.linear(x, parameters[layer], parameters[layer + 1])
            if layer + 2 < len(parameters):
                x = phi(x)
        return x

    return tuple(parameters), x, network


def check_forward(recipe):
    parameters, x, network = build(recipe)
    edges = [0, *sorted(recipe["cuts"]), recipe["batch"]]
    with torch.no_grad():
        whole = network(parameters, x)
        sliced = torch.cat([network(parameters, x[a:b]) for a, b in zip(edges, edges[1:])])
    torch.testing.assert_close(sliced, whole)


def check_gradient(recipe):
    parameters, x, network = build(recipe)
    arguments = [p.requires_grad_() for p in parameters]
    rows = []
    for row in x:
        row = row.detach().requires_grad_()
        y = network(parameters, row)
        jacobian = [torch.autograd.grad(o, (*arguments, row), retain_graph=True) for o in y]
        rows.append([torch.stack(block) for block in zip(*jacobian)])
    loop = [torch.stack(block) for block in zip(*rows)]
    parameters = tuple(p.detach() for p in parameters)
    for transform in (functorch.jacrev, functorch.jacfwd):
        wrt_parameters, wrt_input = functorch.vmap(
            transform(network, argnums=(0, 1)), in_dims=(None, 0))(parameters, x)
        torch.testing.assert_close((*wrt_parameters, wrt_input), tuple(loop))


def measure(check, recipes, seconds):
    """Warms up, sizes a run to `seconds`, and times it."""
    count = dict.fromkeys(("cases", "failures", "rows", "slices", "multiply_adds"), 0)

    def trial(recipe):
        widths = recipe["widths"]
        count["cases"] += 1
        count["rows"] += recipe["batch"]
        count["slices"] += len(recipe["cuts"]) + 1
        count["multiply_adds"] += recipe["batch"] * sum(a * b for a, b in zip(widths, widths[1:]))
        try:
            check(recipe)
        except AssertionError:  # counted, not shrunk: the time is for cases
            count["failures"] += 1

    def run(examples):
        settings = hypothesis.settings(
            max_examples=examples, deadline=None, database=None, derandomize=True,
            phases=[hypothesis.Phase.generate], suppress_health_check=list(hypothesis.HealthCheck))
        start = time.perf_counter()
        settings(hypothesis.given(recipes)(trial))()
        return time.perf_counter() - start

    warmup, cases = run(40), count["cases"]
    warmup, cases = run(40), count["cases"] - cases
    count.update(dict.fromkeys(count, 0))
    elapsed = run(max(40, int(seconds * cases / warmup)))
    n = count["cases"]
    return {"cases_per_second": n / elapsed, "cases": n, "seconds": elapsed,
            "failures": count["failures"], "mean_rows": count["rows"] / n,
            "mean_slices": count["slices"] / n, "mean_multiply_adds": count["multiply_adds"] / n}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10, help="for each of the four measurements (default 10)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    torch.manual_seed(0)
    result = {
        "versions": f"hypothesis {hypothesis.__version__}, torch {torch.__version__}, "
                    f"functorch {functorch.__version__}",
    }
    for name, recipes in {"same": uniform_recipes, "strategies": strategy_recipes}.items():
        result[name] = {
            "forward": measure(check_forward, recipes(64), arguments.seconds),
            "gradient": measure(check_gradient, recipes(8), arguments.seconds),
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
