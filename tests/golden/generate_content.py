"""content.json: attention whose pairs are chosen by what the tokens hold."""

import math

import numpy as np
import torch
import torch.nn.functional as F

import other_classes  # noqa: F401 (lets fast_transformers be imported)
from fast_transformers.attention.exact_topk_attention import ExactTopKAttention
from fast_transformers.masking import FullMask, LengthMask
from reformer_pytorch.reformer_pytorch import LSHAttention
from routing_transformer.routing_transformer import KmeansAttention, distribution, kmeans_iter
from sinkhorn_transformer.sinkhorn_transformer import (bucket, log, reorder_buckets,
                                                       sinkhorn_sorting_operator, unbucket)
from transformers.models.reformer.configuration_reformer import ReformerConfig
from transformers.models.reformer.modeling_reformer import LSHSelfAttention, ReverseSort

import masks
from agreement import add_agreed, apart, difference, drawn_until
from golden import Golden, grid, numbers
from reference import attention, convert

golden = Golden("content", ("torch", "transformers", "pytorch-fast-transformers",
                            "reformer-pytorch", "routing-transformer", "sinkhorn-transformer"))
torch.set_grad_enabled(False)
HIDDEN = -1e5  # the score of a token with itself, where it may see another


def exact(x):
    return convert(x, torch.float64)


def as_four(x):
    return x[(None,) * (4 - x.ndim)]


def drawn(name, leading, length, width, value_width=None, key_length=None):
    rng = numbers(name)
    return (grid(rng, *leading, length, width, step=16),
            grid(rng, *leading, key_length or length, width, step=16),
            grid(rng, *leading, key_length or length, value_width or width))


# Top k.
def kept_weights(query, key, k, threshold, scale, allowed):
    """Weights of all keys, and which of them stay; of equal scores the earlier key stays."""
    scores = query @ key.transpose(-1, -2) * (1 / math.sqrt(query.shape[-1])
                                              if scale is None else scale)
    if allowed is not None:
        scores = torch.where(torch.tensor(allowed), scores,
                             torch.tensor(-math.inf, dtype=scores.dtype))
    weights = scores.softmax(-1)
    stays = scores > -math.inf
    if k is not None:
        better = (scores.unsqueeze(-2) > scores.unsqueeze(-1)) | (
            (scores.unsqueeze(-2) == scores.unsqueeze(-1))
            & torch.ones(key.shape[-2], key.shape[-2], dtype=torch.bool).tril(-1))
        stays = stays & (better.sum(-1) < k)
    if threshold is not None:
        stays = stays & (weights >= threshold)
    return weights, stays


def top_k(name, leading, query_length, key_length, width, *, k=None, threshold=None, scale=None,
          mask=None, value_width=None, inputs=None, idiap=True):
    allowed = None if mask is None else masks.dense(
        mask, (*(1,) * (2 - len(leading)), *leading, query_length, key_length)).reshape(
            *leading, query_length, key_length)

    def draw(stream):
        rng = numbers(stream)
        return inputs or (grid(rng, *leading, query_length, width, step=16, limit=2),
                          grid(rng, *leading, key_length, width, step=16, limit=2),
                          grid(rng, *leading, key_length, value_width or width))

    def clear(query, key, value):  # neither rank nor threshold must be a matter of rounding
        weights, _ = kept_weights(exact(query), exact(key), k, threshold, scale, None)
        return inputs is not None or (apart(weights, 1e-4) and (
            threshold is None or bool(((weights - threshold).abs() > 1e-3).all())))

    query, key, value = drawn_until(clear, draw, name)

    def define(number):
        weights, stays = kept_weights(number(query), number(key), k, threshold, scale, allowed)
        weights = torch.where(stays, weights, number(0.0))
        total = weights.sum(-1, keepdim=True)
        return {"output": weights / torch.where(total > 0, total, number(1.0)) @ number(value)}

    theirs = None
    if idiap and threshold is None:
        layer = ExactTopKAttention(k, softmax_temp=scale, attention_dropout=0.0).eval()
        parts = [as_four(exact(x)).transpose(1, 2) for x in (query, key, value)]
        full = FullMask(query_length, key_length) if mask is None else FullMask(
            torch.tensor(masks.dense(mask, (1, 1, query_length, key_length))[0, 0]))
        valid = LengthMask(torch.tensor([key_length] * len(parts[0])), max_len=key_length)
        theirs = layer(*parts, full, None, valid).transpose(1, 2).reshape(
            *query.shape[:-1], value.shape[-1])
    public = {name: entry for name, entry in (
        ("k", k), ("threshold", threshold), ("scale", scale), ("mask", mask)) if entry is not None}
    add_agreed(golden, name, "topKAttention", [query, key, value], public, define=define,
               theirs=None if theirs is None else {"output": theirs},
               note="Idiap's ExactTopKAttention in float64." if theirs is not None else
               "float64 torch operations: softmax, what stays of it, divided by its sum.")


top_k("top k: 3 of 7", (), 4, 7, 3, k=3)
top_k("top k: 2 heads, batch of 2, values of another width", (2, 2), 3, 5, 3, k=2, value_width=2)
top_k("top k: 1 is hard attention", (2,), 3, 6, 3, k=1)
top_k("top k: more than there are keys is attention", (), 3, 4, 3, k=9)
top_k("top k: with a scale", (), 3, 6, 3, k=4, scale=2.0)
top_k("top k: causal", (2,), 6, 6, 3, k=2, mask=masks.causal())
top_k("top k: threshold", (), 4, 6, 3, threshold=0.15)
top_k("top k: 2 of those above a threshold, causal", (2,), 5, 5, 3, k=2, threshold=0.25,
      mask=masks.causal())
top_k("top k: no weight reaches the threshold: zeros", (), 2, 5, 3, threshold=0.9, inputs=(
    np.array([[0.5, 0, 0], [8, 0, 0]]), np.array([[1.0, 0, 0], [0.5, 1, 0], [8, 0, 0], [0, 0, 1],
                                                  [0.25, 0.5, 0]]), np.arange(15.0).reshape(5, 3)))
top_k("top k: of equal scores the earlier keys stay", (), 2, 6, 2, k=3, idiap=False, inputs=(
    np.array([[1.0, 0], [0, 1]]), np.array([[0, 1.0], [1, 1], [1, 0], [1, 1], [-1, 1], [1, 2]]),
    np.array([[1.0], [2], [4], [8], [16], [32]])))


# Attention inside clusters.
def clustered(name, leading, query_clusters, key_clusters, width, *, causal=False,
              value_width=None):
    query_clusters, key_clusters = np.array(query_clusters, float), np.array(key_clusters, float)
    rng = numbers(name)
    query = grid(rng, *leading, query_clusters.shape[-1], width)
    key = grid(rng, *leading, key_clusters.shape[-1], width)
    value = grid(rng, *leading, key_clusters.shape[-1], value_width or width)
    allowed = query_clusters[..., :, None] == key_clusters[..., None, :]
    if causal:
        allowed = allowed & np.tri(*allowed.shape[-2:], dtype=bool)

    def define(number):  # each query by itself, with the keys of its cluster alone
        output = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=number(0).dtype)
        seen = np.broadcast_to(allowed, (*leading, *allowed.shape[-2:]))
        for place in np.ndindex(*query.shape[:-1]):
            head, own = place[:-1], seen[place]
            if own.any():
                scores = number(key[head][own]) @ number(query[place]) / math.sqrt(width)
                output[place] = scores.softmax(-1) @ number(value[head][own])
        return {"output": output}

    theirs = attention(query, key, value, allowed=allowed)["output"]
    options = {"queryClusters": query_clusters, "keyClusters": key_clusters,
               **({"causal": True} if causal else {})}
    add_agreed(golden, name, "clusteredAttention", [query, key, value], options, define=define,
               theirs={"output": theirs},
               note="Exact attention by torch in float64 with the mask of equal clusters.")


clustered("clustered: three clusters", (), [0, 1, 2, 1, 0, 1], [1, 1, 0, 2, 0, 0, 2], 3)
clustered("clustered: queries without keys are zeros", (), [0, 5, 1], [1, 0, 3, 1], 3)
clustered("clustered: causal, 2 heads, batch of 2, clusters for all", (2, 2), [0, 1, 0, 1, 1],
          [0, 1, 0, 1, 1], 3, causal=True, value_width=2)
clustered("clustered: clusters of each head", (2,), [[0, 0, 1, 1], [2, 0, 2, 2]],
          [[1, 0, 1, 0, 0], [2, 2, 1, 0, 2]], 3)
clustered("clustered: one cluster is attention", (), [3, 3, 3], [3, 3, 3, 3], 3)
clustered("clustered: causal, other clusters of keys", (), [0, 1, 1, 0, 0], [1, 0, 1, 0, 1], 2,
          causal=True)


# Reformer. Hugging Face's layer draws its rotations by a seed, other ones for each head: here it has
# one head, and heads are batch entries.
def hugging_reformer(width, buckets, chunk, rounds, causal, seed):
    layer = LSHSelfAttention(ReformerConfig(
        hidden_size=2 * width, num_attention_heads=1, attention_head_size=width,
        num_buckets=buckets, lsh_attn_chunk_length=chunk, num_hashes=rounds, is_decoder=causal,
        hash_seed=seed, lsh_attention_probs_dropout_prob=0.0)).double().eval()
    for part, linear in enumerate((layer.query_key, layer.value)):
        linear.weight.zero_()
        linear.weight[:, part * width:(part + 1) * width] = torch.eye(width)
    return layer


def hugging_rounds(layer, qk, value, bucket_of, chunk, length):
    """Its forward for each round by itself, joined as its forward joins rounds. (In its forward the
    first chunk of a round looks back at the last one of the round before.) Padding has the largest
    bucket, and a mask."""
    count, padded, width = qk.shape
    valid = (torch.arange(padded) < length).expand(count, padded)
    outputs, logits = [], []
    for buckets in bucket_of.unbind(1):
        order, undo = layer._get_sorted_bucket_idx_and_undo_sorted_bucket_idx(
            padded, buckets.unsqueeze(1), 1)
        parts = [layer._split_seq_length_dim_to(layer._gather_by_expansion(
            x.unsqueeze(1), order, 1), -1, chunk, 1, width) for x in (qk, value)]
        output, logit, _ = layer._attend(
            query_vectors=parts[0], key_vectors=layer._len_and_dim_norm(parts[0], np.sqrt(width)),
            value_vectors=parts[1], sorted_bucket_idx_per_hash=order, attention_mask=valid,
            head_mask=None, do_standard_self_attention=False, do_cached_attention=False)
        output, logit = ReverseSort.apply(output, logit, order, undo)
        outputs.append(output)
        logits.append(logit)
    outputs, logits = torch.stack(outputs, 2), torch.stack(logits, 2).unsqueeze(-1)
    probabilities = torch.exp(logits - torch.logsumexp(logits, dim=2, keepdim=True))
    return torch.sum(outputs * probabilities, dim=2)[:, 0, :length]


def define_lsh(qk, value, rotations, chunk, causal, number):
    """Head by head, round by round, token by token."""
    shape, length = qk.shape, qk.shape[-2]
    qk = number(qk).reshape(-1, *shape[-2:])
    value = number(value).reshape(-1, length, value.shape[-1])
    turned = torch.einsum("hld,drb->hrlb", qk, number(rotations))
    bucket_of = torch.cat([turned, -turned], -1).argmax(-1)
    keys = qk / torch.sqrt(qk.square().sum(-1, keepdim=True) + 1e-6 * shape[-1])
    output = torch.zeros_like(value)
    for h in range(len(qk)):
        scores = qk[h] @ keys[h].T
        rounds = bucket_of[h].tolist() if length > 2 * chunk else [[0] * length]
        seen = np.zeros((len(rounds), length, length), bool)
        for r, buckets in enumerate(rounds):
            order = sorted(range(length), key=lambda i, buckets=buckets: (buckets[i], i))
            chunks = [order[start:start + chunk] for start in range(0, length, chunk)]
            for c, own in enumerate(chunks):
                for i in own:
                    seen[r, i, own + chunks[c - 1]] = True
        if causal:
            seen &= np.tri(length, dtype=bool)
        seen &= ~np.eye(length, dtype=bool)
        for i in range(length):
            if not seen[:, i].any():
                output[h, i] = value[h, i]
                continue
            # Every pair of a round and a key counts once: together they are one softmax.
            pairs = [(r, j) for r in range(len(rounds)) for j in np.flatnonzero(seen[r, i])]
            keys_of = [j for _, j in pairs]
            output[h, i] = scores[i, keys_of].softmax(-1) @ value[h, keys_of]
    return {"output": output.reshape(*shape[:-1], value.shape[-1]),
            "buckets": bucket_of.reshape(*shape[:-2], -1, length).to(qk.dtype)}


def lsh(name, leading, length, width, buckets, chunk, *, rounds=1, causal=False):
    half = buckets // 2

    def draw(stream):
        qk, _, value = drawn(stream, leading, length, width)
        seed = int(numbers(stream).integers(1 << 31))
        torch.manual_seed(seed)
        return qk, value, torch.randn(1, width, rounds, half, dtype=torch.float64)[0].numpy(), seed

    def clear(qk, value, rotations, seed):
        turned = np.einsum("...ld,drb->...rlb", qk, rotations)
        return apart(np.concatenate([turned, -turned], -1)) and bool(
            (np.abs(qk).sum(-1) > 0).all())

    qk, value, rotations, seed = drawn_until(clear, draw, name)
    layer = hugging_reformer(width, buckets, chunk, rounds, causal, seed)
    flat = [exact(x).reshape(-1, length, width) for x in (qk, value)]
    bucket_of = layer._hash_vectors(flat[0].unsqueeze(1), rounds, None).reshape(
        -1, rounds, length) - buckets * torch.arange(rounds).unsqueeze(-1)
    if length <= chunk:
        output = layer(torch.cat(flat, -1)).hidden_states
    else:
        missing = -length % chunk
        output = hugging_rounds(layer, *(F.pad(x, (0, 0, 0, missing)) for x in flat),
                                F.pad(bucket_of, (0, missing), value=buckets), chunk, length)
    whole = length > chunk and length % chunk == 0 and rounds == 1
    if whole:  # nothing to put together: the whole layer as it stands
        difference(name, layer(torch.cat(flat, -1)).hidden_states, output)
    if whole and length % (2 * chunk) == 0 and buckets == length // chunk:
        # The other package scales by 1/sqrt(D) and has no epsilon.
        other = LSHAttention(bucket_size=chunk, n_hashes=1, causal=causal).eval()
        torch.manual_seed(seed)
        difference(name, other(flat[0] * math.sqrt(width), flat[1])[0], output, 1e-5)
    options = {"buckets": buckets, "chunkSize": chunk, "rotations": rotations,
               **({} if rounds == 1 else {"rounds": rounds}),
               **({"causal": True} if causal else {})}
    shape = (*leading, length, width)
    add_agreed(golden, name, "lshAttention", [qk, value], options,
               define=lambda number: define_lsh(qk, value, rotations, chunk, causal, number),
               theirs={"output": output.reshape(shape),
                       "buckets": bucket_of.reshape(*leading, rounds, length)},
               note="Hugging Face's LSHSelfAttention in float64"
                    + (", its forward." if whole or length <= chunk else
                       ", its steps for each round by itself, joined as its forward joins rounds."))


lsh("lsh: 16 tokens, chunks of 4", (), 16, 3, 4, 4)
lsh("lsh: causal", (), 16, 3, 4, 4, causal=True)
lsh("lsh: 3 rounds", (), 12, 3, 4, 2, rounds=3)
lsh("lsh: 2 rounds, causal, 2 heads", (2,), 12, 3, 4, 3, rounds=2, causal=True)
lsh("lsh: 11 tokens, the last chunk shorter", (), 11, 3, 4, 3)
lsh("lsh: 11 tokens, 2 rounds, causal, batch of 2", (2, 1), 11, 2, 2, 4, rounds=2, causal=True)
lsh("lsh: chunks of one token", (), 6, 3, 4, 1, rounds=2)
lsh("lsh: one chunk is attention without oneself", (2,), 5, 3, 2, 8, rounds=1)
lsh("lsh: one chunk, causal: the first token sees itself", (), 5, 3, 2, 8, causal=True)
lsh("lsh: two chunks see everything", (), 8, 3, 4, 4, rounds=2)


# Routing Transformer.
def routing(name, leading, length, width, clusters, window, *, causal=False, per_head=False):
    heads = leading[-1] if leading else 1

    def draw(stream):
        qk, _, value = drawn(stream, leading, length, width)
        return qk, value, grid(numbers(stream + " centroids"), *((heads,) if per_head else ()),
                               clusters, width, step=16)

    def similarity(qk, centroids):
        unit = qk / np.linalg.norm(qk, axis=-1, keepdims=True)
        return np.einsum("...cd,...ld->...cl", centroids, unit)

    def clear(qk, value, centroids):
        return bool((np.abs(qk).sum(-1) > 0).all()) and apart(similarity(qk, centroids))

    qk, value, centroids = drawn_until(clear, draw, name)

    def define(number):
        rows, values = number(qk), number(value)
        keys = F.normalize(rows, dim=-1)
        near = torch.einsum("...cd,...ld->...cl", number(centroids), keys)
        rank = near.argsort(-1, descending=True).argsort(-1)
        taken = rank < min(window, length)
        scores = rows @ keys.transpose(-1, -2) / math.sqrt(width)
        scores = torch.where(torch.eye(length, dtype=torch.bool), number(HIDDEN), scores)
        seen = taken.unsqueeze(-1) & taken.unsqueeze(-2)
        if causal:
            seen = seen & torch.ones(length, length, dtype=torch.bool).tril()
        weights = torch.where(seen, scores.unsqueeze(-3), number(-math.inf)).softmax(-1)
        summed = torch.where(taken.unsqueeze(-1), weights.nan_to_num() @ values.unsqueeze(-3),
                             number(0.0)).sum(-3)
        count = taken.sum(-2).unsqueeze(-1)
        return {"output": summed / count.clamp(min=1), "clusters": taken.to(rows.dtype)}

    layer = KmeansAttention(clusters, window, heads, width, causal=causal,
                            shared_qk=True).double().eval()
    layer.kmeans.means.copy_(exact(np.broadcast_to(centroids, (heads, clusters, width))))
    layer.kmeans.initted.fill_(True)
    four = [as_four(exact(x)) for x in (qk, value)]
    output, _ = layer(four[0], four[0], four[1])
    near, _ = layer.kmeans(four[0])
    places = distribution(near, min(window, length)).unflatten(-1, (clusters, -1))
    taken = torch.zeros(*four[0].shape[:2], clusters, length, dtype=torch.float64).scatter(
        -1, places, 1.0)
    count = taken.sum(-2).unsqueeze(-1)
    output = output * (count + 1e-5) / count.clamp(min=1)  # theirs divides by the count + 1e-5
    options = {"centroids": centroids, "windowSize": window, **({"causal": True} if causal else {})}
    add_agreed(golden, name, "routingAttention", [qk, value], options, define=define,
               theirs={"output": output.reshape(qk.shape),
                       "clusters": taken.reshape(*leading, clusters, length)},
               note="routing-transformer's KmeansAttention with shared_qk, in float64, times "
                    "(n + 1e-5) / n, n the clusters of a token: its mean divides by n + 1e-5.")


routing("routing: 3 clusters of 4", (), 12, 3, 3, 4)
routing("routing: causal inside clusters", (), 12, 3, 3, 4, causal=True)
routing("routing: 2 heads, batch of 2, the same centroids", (2, 2), 7, 3, 2, 3)
routing("routing: centroids of each head, causal", (2,), 9, 2, 2, 5, causal=True, per_head=True)
routing("routing: windows of one token give it itself", (), 6, 3, 2, 1)
routing("routing: one window over everything", (), 5, 3, 1, 8)
routing("routing: tokens in every cluster and in none", (), 10, 2, 4, 3)


# Clusters. Where rows begin is the library's own choice: these come out the same from any of them.
def k_means(name, x, clusters, iterations, centroids, cluster_of, note):
    def define(number):
        unit = F.normalize(number(x), dim=-1)
        middle = F.normalize(unit.sum(-2, keepdim=True), dim=-1) if iterations else unit[..., :1, :]
        return {"centroids": middle.expand(*x.shape[:-2], clusters, x.shape[-1]),
                "clusters": torch.zeros(*x.shape[:-1], dtype=unit.dtype)}

    add_agreed(golden, name, "kMeans", [x], {"clusters": clusters, "iterations": iterations,
                                             "seed": 7}, define=define,
               theirs={"centroids": centroids, "clusters": cluster_of}, note=note)


def their_steps(x, start, iterations):
    rows, means = F.normalize(as_four(exact(x)), dim=-1), exact(start)
    for _ in range(iterations):
        means = kmeans_iter(rows, means)
    return means, torch.einsum("bhld,hcd->bhlc", rows, means).argmax(-1)


for name, leading, length, width, iterations in (
        ("k-means: one cluster", (), 7, 3, 1), ("k-means: one cluster, 5 steps", (), 6, 2, 5),
        ("k-means: one cluster, 2 heads", (2,), 5, 3, 2)):
    x = drawn(name, leading, length, width)[0]
    start = numbers(name + " start").normal(size=(*(leading or (1,)), 1, width))
    means, cluster_of = their_steps(x, start, iterations)
    k_means(name, x, 1, iterations, means.reshape(*leading, 1, width),
            cluster_of.reshape(*leading, length),
            "routing-transformer's kmeans_iter in float64, from a centroid drawn at random.")
alike = np.outer([1, 2, 0.5, 4, 0.25], [2, -1, 2])
means, cluster_of = their_steps(alike, np.tile(alike[:1] / 3, (1, 3, 1)), 3)
k_means("k-means: rows of one direction, 3 clusters of which two stay empty", alike, 3, 3, means[0],
        cluster_of[0, 0], "routing-transformer's kmeans_iter in float64, from rows of x.")


# Sinkhorn attention.
def sinkhorn_sort(query, key, weights, size, iterations, temperature, causal):
    """The sort before its largest entries are taken, [..., blocks, blocks]."""
    length = query.shape[-2]
    starts = range(0, length, size)
    spans = [slice(0, start + 1) if causal else slice(start, start + size) for start in starts]
    sums = torch.stack([torch.cat([query[..., span, :].sum(-2), key[..., span, :].sum(-2)], -1)
                        for span in spans], -2)
    sort = ((sums @ weights).clamp(min=0) + 1e-6) ** (1 / temperature)
    if causal:
        sort = sort.tril(-1)
        total = sort.sum(-1, keepdim=True)
        return sort / torch.where(total > 0, total, torch.ones_like(total))
    for _ in range(iterations):
        sort = sort / sort.sum(-1, keepdim=True)
        sort = sort / sort.sum(-2, keepdim=True)
    return sort


def sinkhorn(name, leading, length, width, size, *, iterations=None, temperature=None,
             causal=False, per_head=False, value_width=None):
    blocks = -(-length // size)
    rounds, heat = iterations or 5, temperature or 0.75

    def draw(stream):
        query, key, value = drawn(stream, leading, length, width, value_width)
        return query, key, value, grid(numbers(stream + " sort"), *(leading[-1:] if per_head
                                                                    else ()), 2 * width, blocks)

    def sort_of(query, key, weights, number):
        return sinkhorn_sort(number(query), number(key), number(weights), size, rounds, heat,
                             causal)

    def clear(query, key, value, weights):  # a clear winner, and no entry of relu near its corner
        sort = sort_of(query, key, weights, exact)[..., 1 if causal else 0:, :]
        best = sort.sort(-1, descending=True)[0]
        return blocks == 1 or bool((best[..., 0] - best[..., 1] > 0.02).all())

    query, key, value, weights = drawn_until(clear, draw, name)

    def define(number):
        sort = sort_of(query, key, weights, number)
        entry, best = sort.max(-1)
        output = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=sort.dtype)
        keys, values = number(key), number(value)
        for head in np.ndindex(*leading):
            for b in range(blocks):
                own = slice(b * size, min((b + 1) * size, length))
                other = int(best[(*head, b)])
                extra = slice(other * size, min((other + 1) * size, length))
                if causal and b == 0:
                    extra = slice(0, 0)
                factor = entry[(*head, b)]
                seen = torch.cat([keys[head][extra] * factor, keys[head][own]])
                read = torch.cat([values[head][extra] * factor, values[head][own]])
                scores = number(query[head][own]) @ seen.T / math.sqrt(width)
                if causal:
                    ahead = torch.ones(scores.shape, dtype=torch.bool).triu(
                        1 + extra.stop - extra.start)
                    scores = scores.masked_fill(ahead, -math.inf)
                output[head][own] = scores.softmax(-1) @ read
        return {"output": output, "sorting": sort}

    theirs, note = None, ("float64 torch operations, block by block. The package's causal form "
                          "rotates half of the heads and has a null key." if causal else
                          "float64 torch operations, block by block; the package has no block that "
                          "is shorter than the others.")
    if not causal and length % size == 0:
        flat = [exact(x).reshape(-1, length, x.shape[-1]) for x in (query, key, value)]
        cut_query, cut_key, cut_value = (bucket(blocks, x) for x in flat)
        own = exact(np.broadcast_to(weights, (*leading, 2 * width, blocks)).copy()).reshape(
            -1, 2 * width, blocks)
        sort = F.relu(torch.cat((cut_query.sum(dim=2), cut_key.sum(dim=2)), dim=-1) @ own)
        sort = sinkhorn_sorting_operator(log(sort) / heat, rounds)
        entries, places = sort.topk(1, dim=-1)
        chosen = torch.zeros_like(sort).scatter(-1, places, entries)
        joined_key = torch.cat((reorder_buckets(cut_key, chosen), cut_key), dim=2)
        joined_value = torch.cat((reorder_buckets(cut_value, chosen), cut_value), dim=2)
        dots = torch.einsum("buie,buje->buij", cut_query, joined_key) * width ** -0.5
        output = unbucket(torch.einsum("buij,buje->buie", dots.softmax(-1), joined_value))
        theirs = {"output": output.reshape(*leading, length, value.shape[-1]),
                  "sorting": sort.reshape(*leading, blocks, blocks)}
        note = ("sinkhorn-transformer's own functions in float64, put together without its Gumbel "
                "noise, and with sorted values where its layer takes the sorted keys again.")
    options = {"blockSize": size, "sortWeights": weights,
               **{part: entry for part, entry in (("iterations", iterations),
                                                  ("temperature", temperature)) if entry},
               **({"causal": True} if causal else {})}
    add_agreed(golden, name, "sinkhornAttention", [query, key, value], options, define=define,
               theirs=theirs, note=note)


sinkhorn("sinkhorn: 4 blocks of 3", (), 12, 3, 3)
sinkhorn("sinkhorn: 1 iteration, temperature 0.5", (), 9, 3, 3, iterations=1, temperature=0.5)
sinkhorn("sinkhorn: 2 heads, batch of 2, values of another width", (2, 2), 6, 3, 2, value_width=2,
         iterations=7)
sinkhorn("sinkhorn: weights of each head", (2,), 8, 2, 2, per_head=True)
sinkhorn("sinkhorn: the last block shorter", (), 11, 3, 4)
sinkhorn("sinkhorn: one block sees itself twice", (), 4, 3, 4)
sinkhorn("sinkhorn: causal", (), 12, 3, 3, causal=True)
sinkhorn("sinkhorn: causal, 2 heads, the last block shorter, temperature 1", (2,), 8, 3, 3,
         causal=True, temperature=1.0)
sinkhorn("sinkhorn: causal, one block", (), 4, 3, 6, causal=True)

# The normaliser of [[1, 2], [1, 1]]: after one round, and at the end.
published = torch.tensor([[[1.0, 2.0], [1.0, 1.0]]], dtype=torch.float64).log()
root = math.sqrt(2)
for count, rows in ((1, [[0.4, 4 / 7], [0.6, 3 / 7]]),
                    (60, [[root - 1, 2 - root], [2 - root, root - 1]])):
    difference("normaliser", sinkhorn_sorting_operator(published, count)[0], rows, 1e-12)
golden.save()
