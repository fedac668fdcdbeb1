// What every contender written in JavaScript has in common, in Node and in a page: it answers
// messages, and takes the time.
//
// A contender's module exports start(options), which gives
//   info                     { threads, version, loadMs, absent? }: how long the library took to
//                            load, and the reason for not taking part
//   formulations(shape)      names of the ways in which it can compute this shape; one or more
//   prepare(shape, name)     { run, output, dispose }: run() may give a promise; output() gives a
//                            Float32Array, row-major as ours, of the last run
//   memory()                 the most bytes that its calls have needed, optional
//
// native/main.cpp and torch_contender.py answer the same messages.

export class Host {
  #contender;
  #works = new Map();

  static async start(module, options) {
    const host = new Host();
    const { start } = await import(module);
    host.#contender = await start(options);
    host.info = host.#contender.info;
    return host;
  }

  async answer(message) {
    const { shape } = message;
    switch (message.do) {
      case "formulations":
        return { formulations: this.#contender.formulations(shape) };
      case "prepare":
        return this.#prepare(shape, message.formulation);
      case "warm":
        return this.#warm(this.#works.get(message.name), message.milliseconds);
      case "sample":
        return this.#sample(this.#works.get(message.name), message.milliseconds);
      case "output":
        return { output: this.#works.get(message.name).output() };
      case "release":
        await this.#release(message.name);
        return {};
      case "memory":
        return { bytes: this.#contender.memory() };
      default:
        throw new Error(`no contender answers "${message.do}"`);
    }
  }

  // The first call is made and timed here: it is a figure of its own.
  async #prepare(shape, formulation) {
    await this.#release(shape.name);
    const work = await this.#contender.prepare(shape, formulation);
    this.#works.set(shape.name, work);
    const firstMs = await timed(work, 1);
    work.estimate = firstMs;
    return { firstMs, flops: work.flops, bytes: work.bytes };
  }

  async #release(name) {
    const work = this.#works.get(name);
    this.#works.delete(name);
    await work?.dispose?.();
  }

  // Engines compile again what is called often.
  async #warm(work, milliseconds) {
    const end = performance.now() + milliseconds;
    do work.estimate = await timed(work, 1);
    while (performance.now() < end);
    return { ms: work.estimate };
  }

  // The mean time of a call, over as many as fit. What ran in between has filled the caches: an
  // untimed call first, unless calls are so long that it does not matter.
  async #sample(work, milliseconds) {
    if (work.estimate < milliseconds) await timed(work, 1);
    const calls = Math.min(Math.max(1, Math.round(milliseconds / work.estimate)), 1e5);
    work.estimate = (await timed(work, calls)) / calls;
    return { ms: work.estimate, calls };
  }
}

async function timed({ run }, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; ++call) {
    const promise = run();
    if (promise !== undefined) await promise;
  }
  return performance.now() - start;
}
