// What the linker sees: the objects of each instruction set keep to themselves, and a shared library
// shows what its headers declare and nothing else.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { FIXTURES, temporaryFolder } from "./support/folders.js";
import { buildLibrary, buildWithin, COMPILER } from "./support/native.js";
import { run } from "./support/processes.js";
import { archObjects, KERNEL, leaks, symbolsOf } from "./support/symbols.js";

describe.each([
  ["a release build", () => buildLibrary("static")],
  ["a debug build", async () => join(await buildWithin(), "qkv")],
])("the objects of each instruction set in %s", (_, build) => {
  let objects: string[];

  beforeAll(async () => {
    objects = await archObjects(await build());
  });

  it("are five, and hold kernels for this processor", async () => {
    expect(objects).toHaveLength(5);
    const names = (await Promise.all(objects.map((object) => symbolsOf(object)))).flat();
    expect(names.filter(({ name }) => KERNEL.test(name)).length).toBeGreaterThan(9);
  });

  it("share no symbol, and run nothing at start", async () => {
    expect(await leaks(objects)).toEqual([]);
  });
});

describe("the search for leaks", () => {
  it("finds them", async () => {
    const folder = await temporaryFolder();
    const objects = ["first", "second"].map((name) => join(folder, `${name}.o`));
    for (const [index, name] of ["first", "second"].entries()) {
      const source = join(FIXTURES, "leak", `${name}.cpp`);
      await run(COMPILER, ["-std=c++20", "-O0", "-c", source, "-o", objects[index] as string]);
    }
    const found = await leaks(objects);
    expect(found).toContain("first.o defines first()");
    expect(found).toContainEqual(expect.stringMatching(/^first\.o runs at start: /));
    expect(found).toContainEqual(expect.stringMatching(/^second\.o defines std::vector<float.*::begin\(\) const$/));
    expect(found).toContainEqual(expect.stringMatching(/^second\.o and first\.o define total\(/));
  });
});

describe("the shared library", () => {
  it("shows the public names only", async () => {
    const library = join(await buildLibrary("shared"), "src", "libqkv.so");
    const shown = (await symbolsOf(library, ["--dynamic"])).map(({ name }) => name);
    expect(shown).toContainEqual(expect.stringMatching(/^qkv::try_attention\(/));
    const outside = /^(?:(?:vtable|typeinfo|typeinfo name) for )?qkv::(?!(?:kernels|arch|dynamic)::)/;
    expect(shown.filter((name) => !outside.test(name))).toEqual([]);
  });
});
