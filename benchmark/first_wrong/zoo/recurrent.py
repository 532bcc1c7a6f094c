"""Recurrent networks: PyTorch's layers, cells in loops, layers called more than once, scans."""
import torch
import torch.nn.functional as F
from torch import nn

from . import ints, model, rand

B, T, D, HID = 3, 5, 6, 8


@model
def lstm():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = nn.LSTM(D, HID, 2, batch_first=True, dropout=0.1), nn.Linear(HID, 4)

        def forward(self, x):
            y, (h, c) = self.lstm(x)
            return self.head(y), h, c

    return M(), (rand(B, T, D),)


@model
def bidirectional_lstm():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm, self.head = nn.Embedding(20, D), nn.LSTM(D, HID, bidirectional=True), nn.Linear(2 * HID, 4)

        def forward(self, tokens):
            return self.head(self.lstm(self.embed(tokens))[0])

    return M(), (ints(20, T, B),)


@model
def gru_five_times():
    """One GRU, called five times with the state passed on."""

    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru, self.head = nn.GRU(D, HID, batch_first=True), nn.Linear(HID, D)

        def forward(self, x):
            state, outs = None, []
            for _ in range(5):
                y, state = self.gru(x, state)
                x = self.head(y)
                outs.append(x)
            return torch.stack(outs)

    return M(), (rand(B, 2, D),)


@model
def gru():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.gru, self.norm = nn.Linear(D, D), nn.GRU(D, HID, 1), nn.LayerNorm(HID)

        def forward(self, x):
            y, h = self.gru(torch.tanh(self.inp(x)))
            return self.norm(y + h)

    return M(), (rand(T, B, D),)


@model
def elman():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.out = nn.RNN(D, HID, nonlinearity="relu", batch_first=True), nn.Linear(HID, 3)

        def forward(self, x):
            return F.log_softmax(self.out(self.rnn(x)[0][:, -1]), -1)

    return M(), (rand(B, T, D),)


@model
def lstm_cells():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.out = nn.LSTMCell(D, HID), nn.Linear(HID, D)

        def forward(self, x):
            h = c = x.new_zeros(x.shape[1], HID)
            outs = []
            for step in x:
                h, c = self.cell(step, (h, c))
                outs.append(self.out(h))
            return torch.stack(outs)

    return M(), (rand(4, B, D),)


@model
def gru_cells():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.drop = nn.GRUCell(D, HID), nn.GRUCell(HID, HID), nn.Dropout(0.1)

        def forward(self, x):
            a = b = x.new_zeros(x.shape[1], HID)
            for step in x:
                a = self.first(step, a)
                b = self.second(self.drop(a), b)
            return b

    return M(), (rand(4, B, D),)


@model
def rnn_cells():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.out = nn.RNNCell(D, HID), nn.Linear(HID, 2)

        def forward(self, x):
            h = x.new_zeros(x.shape[1], HID)
            for step in x:
                h = self.cell(step, h)
            return self.out(h)

    return M(), (rand(T, B, D),)


@model
def handwritten_lstm():
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.x, self.h, self.norm = nn.Linear(D, 4 * HID), nn.Linear(HID, 4 * HID, bias=False), nn.LayerNorm(4 * HID)
            self.forget_bias = 1.0

        def forward(self, x, h, c):
            i, f, g, o = self.norm(self.x(x) + self.h(h)).chunk(4, -1)
            c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(c), c

    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = Cell()

        def forward(self, x):
            h = c = x.new_zeros(len(x), HID)
            for t in range(x.shape[1]):
                h, c = self.cell(x[:, t], h, c)
            return h, c

    return M(), (rand(B, 4, D),)


@model
def sequence_to_sequence():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.encoder, self.cell = nn.Embedding(15, D), nn.GRU(D, HID, batch_first=True), nn.GRUCell(D + HID, HID)
            self.query, self.out = nn.Linear(HID, HID), nn.Linear(2 * HID, 15)

        def forward(self, source, target):
            memory, state = self.encoder(self.embed(source))
            state, outs = state[0], []
            for t in range(target.shape[1]):
                scores = torch.bmm(memory, self.query(state)[..., None])
                context = torch.bmm(scores.softmax(1).transpose(1, 2), memory)[:, 0]
                state = self.cell(torch.cat([self.embed(target[:, t]), context], -1), state)
                outs.append(self.out(torch.cat([state, context], -1)))
            return torch.stack(outs, 1)

    return M(), (ints(15, B, T), ints(15, B, 3, seed=8))


@model
def conv_lstm():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.gates = nn.Conv2d(2 + 3, 4 * 3, 3, padding=1)

        def forward(self, frames):
            h = c = frames.new_zeros(frames.shape[0], 3, *frames.shape[3:])
            for t in range(frames.shape[1]):
                i, f, g, o = self.gates(torch.cat([frames[:, t], h], 1)).chunk(4, 1)
                c = f.sigmoid() * c + i.sigmoid() * g.tanh()
                h = o.sigmoid() * c.tanh()
            return h

    return M(), (rand(2, 3, 2, 5, 5),)


@model
def packed_sequences():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.gru, self.out = nn.Embedding(15, D), nn.GRU(D, HID, batch_first=True), nn.Linear(HID, 3)

        def forward(self, tokens, lengths):
            packed = nn.utils.rnn.pack_padded_sequence(self.embed(tokens), lengths, batch_first=True)
            y, h = self.gru(packed)
            y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
            return self.out(y), h

    return M(), (ints(15, B, T), torch.tensor([5, 3, 2]))


@model
def selective_scan():
    """A state space layer whose steps depend on the data."""

    class Ssm(nn.Module):
        def __init__(self, width=8, state=4):
            super().__init__()
            self.A = nn.Parameter(torch.log(torch.arange(1.0, state + 1)).repeat(width, 1))
            self.D, self.state = nn.Parameter(torch.ones(width)), state
            self.x_proj, self.dt = nn.Linear(width, 2 * state + 1, bias=False), nn.Linear(1, width)

        def forward(self, x):
            dt, b, c = self.x_proj(x).split([1, self.state, self.state], -1)
            dt = F.softplus(self.dt(dt))
            decay = torch.exp(-dt[..., None] * self.A.exp())
            h, outs = x.new_zeros(x.shape[0], x.shape[2], self.state), []
            for t in range(x.shape[1]):
                h = decay[:, t] * h + (dt[:, t] * x[:, t])[..., None] * b[:, t, None]
                outs.append((h * c[:, t, None]).sum(-1))
            return torch.stack(outs, 1) + x * self.D

    class Mamba(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.conv, self.ssm, self.out = nn.Linear(D, 16), nn.Conv1d(8, 8, 3, padding=2, groups=8), Ssm(), nn.Linear(8, D)

        def forward(self, x):
            y, gate = self.inp(x).chunk(2, -1)
            y = F.silu(self.conv(y.mT)[..., : x.shape[1]].mT)
            return x + self.out(self.ssm(y) * F.silu(gate))

    return Mamba(), (rand(2, 4, D),)


@model
def rwkv():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.mix = nn.Parameter(torch.full((3, D), 0.5))
            self.decay, self.first = nn.Parameter(torch.linspace(-1, 1, D)), nn.Parameter(torch.zeros(D) + 0.3)
            self.r, self.k, self.v, self.o = (nn.Linear(D, D, bias=False) for _ in range(4))
            self.norm = nn.LayerNorm(D)

        def forward(self, x):
            x = self.norm(x)
            before = F.pad(x, (0, 0, 1, -1))
            r, k, v = (f(x * m + before * (1 - m)) for f, m in zip((self.r, self.k, self.v), self.mix))
            a = b = torch.zeros_like(x[:, 0])
            outs, w = [], torch.exp(-torch.exp(self.decay))
            for t in range(x.shape[1]):
                e = torch.exp(self.first + k[:, t])
                outs.append((a + e * v[:, t]) / (b + e))
                a, b = w * a + k[:, t].exp() * v[:, t], w * b + k[:, t].exp()
            return self.o(torch.sigmoid(r) * torch.stack(outs, 1))

    return M(), (rand(2, 4, D),)
