// The environment's variables reach getenv in WebAssembly too: QKV_BACKEND is one.
Module.preRun = [() => Object.assign(ENV, process.env)];
