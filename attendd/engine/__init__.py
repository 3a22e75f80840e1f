"""Decides what a session is told, when, and why not: pure functions of state, time and news.

Nothing in here reads a clock, a disk or chance; the present is always an argument, in seconds
on one clock that is never set. `attendd.engine.attention.Attention` is the whole of it for one
session; each other module is one of its concepts:

* `settings`: every number, with its default; the configuration's sections are these structs
* `interval`: the pause of one sensor between two looks
* `accumulator`: what one sensor has seen and not told yet, adding up, merging, fading
* `engagement`: a sensor that has told much falls silent for a while
* `slot`: one sensor in one session, with one each of the three above
* `governor`: how often the session may be told anything, by lane, and how often woken
* `riders`: what is not worth a batch and goes along with the next one
* `batch`: what comes out, lines and decisions, and what each reason code means
* `gate`: what stands in a ready slot's way, and when it may be out of it
* `render`: a batch as the physical lines that a client takes whole
* `snapshot`: all state as plain data, times as ages, so that it outlives the host
"""
