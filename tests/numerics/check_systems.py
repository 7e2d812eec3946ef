# SPDX-License-Identifier: MIT
"""LASSO, non-negative least squares, subspace identification and the nuclear norm by numpy, scipy and cvxopt: check_systems.py DUMP"""
import subprocess
import sys

import numpy as np
import scipy.linalg
import scipy.optimize

BLOCKS = 8


def read():
    found = {}
    text = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        name, rows, columns, *numbers = line.split()
        found.setdefault(name, []).append(np.array(numbers, float).reshape(int(rows), int(columns)))
    return found


def lasso(data):
    x, q = data["lasso_x"][0], data["lasso_q"][0][:, 0]
    for alpha, f, objective in zip(data["lasso_alpha"], data["lasso_f"], data["lasso_objective"]):
        alpha = alpha[0, 0]
        n = x.shape[1]

        def both(w):
            r = q - x @ (w[:n] - w[n:])
            g = -2 * x.T @ r
            return r @ r + alpha * w.sum(), np.concatenate([g + alpha, -g + alpha])
        best = scipy.optimize.minimize(both, np.ones(2 * n), jac=True, method="L-BFGS-B",
                                       bounds=[(0, None)] * (2 * n),
                                       options={"maxiter": 20000, "ftol": 1e-16, "gtol": 1e-10})
        other = best.x[:n] - best.x[n:]
        assert objective[0, 0] <= best.fun + 1e-9, (alpha, objective, best.fun)
        assert np.abs(other - f[:, 0]).max() < 1e-5, (alpha, other, f)


def hankel(x, lengths, shift):
    columns, at = [], 0
    for length in lengths:
        for j in range(length - 2 * BLOCKS + 1):
            columns.append(x[at + j + shift:at + j + shift + BLOCKS].ravel())
        at += length
    return np.array(columns).T


def root(m):
    values, vectors = np.linalg.eigh(m)
    keep = values > 1e-10 * values.max()
    return (vectors[:, keep] / np.sqrt(values[keep])) @ vectors[:, keep].T


def subspace(data):
    lengths = data["lengths"][0][:, 0].astype(int)
    u, y = data["u"][0], data["y"][0]
    future_u, future_y = hankel(u, lengths, BLOCKS), hankel(y, lengths, BLOCKS)
    phi = np.vstack([hankel(u, lengths, 0), hankel(y, lengths, 0)])
    projector = np.eye(phi.shape[1]) - np.linalg.pinv(future_u) @ future_u
    assert np.abs(future_u @ projector).max() < 1e-9
    w1, w2 = root(future_y @ projector @ future_y.T), root(phi @ phi.T)
    left, singular, _ = np.linalg.svd(w1 @ future_y @ projector @ phi.T @ w2)
    assert np.abs(singular - data["singular"][0][:, 0]).max() < 1e-9 * singular[0]
    order = data["a"][0].shape[0]
    v = np.linalg.inv(w1) @ left[:, :order]
    a = np.linalg.lstsq(v[:-2], v[2:], rcond=None)[0]
    ours = np.sort_complex(np.linalg.eigvals(data["a"][0]))
    assert np.abs(np.sort_complex(np.linalg.eigvals(a)) - ours).max() < 1e-8
    c = v[:2]
    # B and D by an explicit table of powers, sequence by sequence.
    rows, right, at = [], [], 0
    nu = u.shape[1]
    for length in lengths:
        g = np.zeros((order, order * nu))
        for t in range(length):
            rows.append(np.hstack([c @ g, np.kron(np.eye(2), u[at + t])]))
            right.append(y[at + t])
            g = a @ g + np.kron(np.eye(order), u[at + t])
        at += length
    found = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=None)[0]
    b, d = found[:order * nu].reshape(order, nu), found[order * nu:].reshape(2, nu)
    for n in range(20):
        mine = data["c"][0] @ np.linalg.matrix_power(data["a"][0], n) @ data["b"][0]
        assert np.abs(mine - c @ np.linalg.matrix_power(a, n) @ b).max() < 1e-7
    assert np.abs(d - data["d"][0]).max() < 1e-7
    peak = max(np.linalg.norm(d + c @ np.linalg.solve(np.exp(1j * w) * np.eye(order) - a, b), 2)
               for w in np.linspace(0, np.pi, 513))
    assert abs(peak - data["gain"][0][0, 0]) < 1e-6 * peak
    bound = np.abs(d).sum(1) + sum(np.abs(c @ np.linalg.matrix_power(a, n) @ b).sum(1)
                                   for n in range(3000))
    assert np.abs(bound - data["bound"][0][:, 0]).max() < 1e-6 * bound.max()


def nuclear(data):
    """The semidefinite programme: minimise (tr P + tr Q) / 2 + beta |v - y|^2, [P X; X^T Q] >= 0."""
    import cvxopt
    import cvxopt.solvers
    cvxopt.solvers.options["show_progress"] = False
    y, w1, g = data["nuclear_y"][0][:, 0], data["nuclear_w1"][0], data["nuclear_g"][0]
    blocks, columns, phi = w1.shape[0], g.shape[0], g.shape[1]
    count = columns + blocks - 1  # frames that the future block rows hold
    first = blocks
    theta = []
    for k in range(count):
        h = np.zeros((blocks, columns))
        for r in range(blocks):
            if 0 <= k - r < columns:
                h[r, k - r] = 1
        theta.append(w1 @ h @ g)
    size = blocks + phi
    # Variables: v (count), the lower halves of P and Q.
    pairs = [(i, j, 0) for i in range(blocks) for j in range(i + 1)]
    pairs += [(i, j, blocks) for i in range(phi) for j in range(i + 1)]
    total = count + len(pairs)
    maps = np.zeros((size * size, total))
    for k, t in enumerate(theta):
        m = np.zeros((size, size))
        m[:blocks, blocks:] = t
        maps[:, k] = (m + m.T).ravel()
    cost = np.zeros(total)
    for k, (i, j, shift) in enumerate(pairs):
        m = np.zeros((size, size))
        m[shift + i, shift + j] = m[shift + j, shift + i] = 1
        maps[:, count + k] = m.ravel()
        cost[count + k] = 0.5 * (i == j)
    for beta, objective in zip(data["nuclear_beta"], data["nuclear_objective"]):
        beta = beta[0, 0]
        quadratic = np.zeros((total, total))
        quadratic[:count, :count] = 2 * beta * np.eye(count)
        linear = cost.copy()
        linear[:count] -= 2 * beta * y[first:first + count]
        dims = {"l": 0, "q": [], "s": [size]}
        found = cvxopt.solvers.coneqp(cvxopt.matrix(quadratic), cvxopt.matrix(linear),
                                      cvxopt.matrix(-maps), cvxopt.matrix(np.zeros(size * size)),
                                      dims)
        v = np.array(found["x"])[:count, 0]
        x = sum(value * t for value, t in zip(v, theta))
        best = np.linalg.norm(x, "nuc") + beta * ((v - y[first:first + count]) ** 2).sum()
        assert abs(best - objective[0, 0]) < 1e-5 * best, (beta, best, objective)


def least_of(a, b, w):
    return ((a @ w - b) ** 2).sum()


def weights(data):
    for a, b, w in zip(data["nnls_a"], data["nnls_b"], data["nnls_w"]):
        b, w = b[:, 0], w[:, 0]
        theirs = scipy.optimize.nnls(a, b)[0]
        # Twins share a weight in any way: what they make together is unique.
        assert w.min() >= 0 and np.abs(a @ (w - theirs)).max() < 1e-9, np.abs(a @ (w - theirs)).max()


def weights_of_one(data):
    import cvxopt
    cvxopt.solvers.options.update(show_progress=False, abstol=1e-13, reltol=1e-13, feastol=1e-13)
    for a, b, w in zip(data["nnls_a"], data["nnls_b"], data["nnls_w1"]):
        b, w, n = b[:, 0], w[:, 0], a.shape[1]
        matrix = cvxopt.matrix
        found = cvxopt.solvers.qp(matrix(a.T @ a), matrix(-a.T @ b), matrix(-np.eye(n)), matrix(np.zeros(n)),
                                  matrix(np.ones((1, n))), matrix(1.0))
        theirs = np.array(found["x"])[:, 0]
        assert w.min() >= 0 and abs(w.sum() - 1) < 1e-12, w.sum() - 1
        assert np.abs(a @ (w - theirs)).max() < 1e-5, np.abs(a @ (w - theirs)).max()
        assert least_of(a, b, w) <= least_of(a, b, theirs) + 1e-10


def main():
    data = read()
    lasso(data)
    weights(data)
    subspace(data)
    try:
        import cvxopt  # noqa: F401
    except ImportError:
        print("no cvxopt: the nuclear norm and weights with a sum of 1 were not compared")
    else:
        nuclear(data)
        weights_of_one(data)
        print("nuclear norm, weights with a sum of 1: as cvxopt's")
    print("LASSO and non-negative least squares as scipy's, subspace identification as numpy's")


main()
