"""Python imports this before a program: puts the fault named by ULPFUZZ_PLANT into PyTorch or JAX.

A plant is FUNCTION:FAULT, as in F.linear:tf32_above_8 or jax.vmap:doubled.
"""
import importlib
import os

import numpy as np

FUNCTION, FAULT = os.environ.get("ULPFUZZ_PLANT", ":").split(":")


def tf32(x):
    if FUNCTION.startswith("F."):
        import torch
        return ((x.view(torch.int32) + 0x1000) & -0x2000).view(torch.float32)
    bits = (np.asarray(x).view(np.uint32) + 0x1000) & 0xFFFFE000
    return bits.view(np.float32)


def rows_of(x):
    return x.shape[0] if x.ndim > 1 else 1


class Faults:
    """Each: what is done instead of calling f, the right function."""

    @staticmethod
    def tf32_above_8(f, x, w, *rest):
        return f(tf32(x), tf32(w), *rest) if rows_of(x) > 8 else f(x, w, *rest)

    @staticmethod
    def neighbour_row(f, x, w, *rest):
        rows = list(range(len(x)))
        if len(rows) > 1:
            rows[-1] = rows[-2]
        return f(x[np.array(rows)], w, *rest)

    @staticmethod
    def drops_last_column(f, x, w, *rest):
        w = w[:, :-1] if FUNCTION == "F.linear" else w[:-1]  # [n, k] or [k, n]
        return f(x[..., :-1], w, *rest)

    @staticmethod
    def transposed_when_square(f, x, w, *rest):
        return f(x, w.T if w.shape[0] == w.shape[1] else w, *rest)

    @staticmethod
    def no_bias_above_1(f, x, w, bias=None):
        return f(x, w) if bias is None or rows_of(x) > 1 else f(x, w, bias)

    @staticmethod
    def row_mod_16(f, x, w, *rest):
        return f(x[np.arange(len(x)) % 16], w, *rest)

    @staticmethod
    def nan_is_zero(f, *args):
        y = f(*args)
        return importlib.import_module("torch" if FUNCTION == "F.linear" else "jax.numpy").nan_to_num(y)

    @staticmethod
    def overflows(f, x):
        return x + float("inf")

    @staticmethod
    def off_above_1(f, x, *rest):
        y = f(x, *rest)
        return y * 1.0009765625 if rows_of(x) > 1 else y

    @staticmethod
    def wavers(f, *args):
        Faults.calls += 1
        return f(*args) * (1 + Faults.calls % 2 / 1024)

    calls = 0

    @staticmethod
    def plus_one(f, *args, **options):
        """Of a transform: what it makes is off by one."""
        made = f(*args, **options)
        return lambda *values: made(*values) + 1

    @staticmethod
    def doubled(f, *args, **options):
        made = f(*args, **options)
        return lambda *values: made(*values) * 2

    @staticmethod
    def one_and_a_half_above_1(f, *args, **options):
        """Of torch.autograd.grad(y, W, v) and jax.vjp(g, W): where there are several rows."""
        result = f(*args, **options)
        if FUNCTION == "jax.vjp":
            y, pull = result
            return y, lambda v: tuple(g * (1.5 if len(y) > 1 else 1) for g in pull(v))
        return tuple(g * (1.5 if len(args[2]) > 1 else 1) for g in result)


def plant(module, name):
    right = getattr(module, name)
    fault = getattr(Faults, FAULT)
    setattr(module, name, lambda *args, **options: fault(right, *args, **options))


if FUNCTION:
    path, _, function = FUNCTION.rpartition(".")
    aliases = {"F": "torch.nn.functional", "jnp": "jax.numpy"}
    if path == "func":
        import torch
        aliases["func"] = "torch.func" if hasattr(torch, "func") else "functorch"
    plant(importlib.import_module(aliases.get(path, path)), function)
