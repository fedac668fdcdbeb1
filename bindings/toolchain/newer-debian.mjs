// Packages of a newer Debian release, unpacked into a folder of their own and never installed: the
// machine's own packages, its sources and its package lists stay as they are. apt does the reading
// of the mirror and the checking of signatures, on a private state that is thrown away afterwards.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { updateLists } from "./apt.mjs";
import { SetUpError } from "./errors.mjs";
import { pipe, run } from "./processes.mjs";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

// The address this machine gets Debian from. apt is asked instead of its files, which come in two
// formats and any number; the answer exists only for lists that were fetched once.
async function mirror(codename) {
  const ask = () =>
    run("apt-get", [
      "indextargets",
      "--format",
      "$(REPO_URI)",
      "Created-By: Packages",
      `Codename: ${codename}`,
      "Label: Debian",
    ]);
  let answer = await ask();
  if (!answer.trim()) {
    await updateLists();
    answer = await ask();
  }
  const address = answer.split("\n").find((line) => line && !line.startsWith("cdrom:"));
  if (!address)
    throw new SetUpError(
      `apt knows no mirror of Debian ${codename}: add one to its sources and run this again.`,
    );
  return address;
}

// A configuration under which apt knows nothing but `suite` on this machine's mirror. It is given
// by option -c, which apt reads last, so that proxies and the like stay as they are configured.
async function writePrivateState({ system, suite, folder }) {
  for (const name of ["lists/partial", "cache/archives/partial", "debs", "empty"])
    mkdirSync(folder(name), { recursive: true });
  writeFileSync(folder("status"), "");

  const signedBy = existsSync(KEYRING) ? ` signed-by=${KEYRING}` : "";
  const options = `arch=${system.architecture.name} target=Packages lang=none${signedBy}`;
  writeFileSync(
    folder("sources.list"),
    `deb [${options}] ${await mirror(system.codename)} ${suite} main\n`,
  );

  const settings = {
    "APT::Architecture": system.architecture.name,
    "Dir::Etc::SourceList": folder("sources.list"),
    "Dir::Etc::SourceParts": folder("empty"),
    // No preferences and no installed packages: nothing here may influence which version is taken.
    "Dir::Etc::Preferences": "/dev/null",
    "Dir::Etc::PreferencesParts": folder("empty"),
    "Dir::State::Status": folder("status"),
    "Dir::State::Lists": folder("lists"),
    "Dir::Cache": folder("cache"),
    "Acquire::Retries": "2",
  };
  // As root apt would download as the user _apt, who may not enter a home folder.
  if (process.getuid() === 0) settings["APT::Sandbox::User"] = "root";
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  writeFileSync(folder("apt.conf"), lines.join(""));
  return folder("apt.conf");
}

// Downloads and unpacks `packages` of the release `suite` into `prefix`, without the files that
// match a pattern of `exclude`. `workFolder` holds the private state and the downloads; it is
// removed at the end.
export async function unpackPackages({
  system,
  suite,
  packages,
  exclude = [],
  prefix,
  workFolder,
}) {
  const folder = (...names) => join(workFolder, ...names);
  const apt = ["-qq", "-c", await writePrivateState({ system, suite, folder })];
  await run("apt-get", [...apt, "update"]);
  await run("apt-get", [...apt, "download", ...packages], { cwd: folder("debs") });

  const archives = readdirSync(folder("debs")).filter((name) => name.endsWith(".deb"));
  if (archives.length !== packages.length) {
    throw new SetUpError(
      `apt-get download left ${archives.length} of ${packages.length} packages of ${suite}.`,
    );
  }
  mkdirSync(prefix, { recursive: true });
  const unpack = [
    "--extract",
    `--directory=${prefix}`,
    ...exclude.map((pattern) => `--exclude=${pattern}`),
  ];
  for (const archive of archives) {
    await pipe(["dpkg-deb", ["--fsys-tarfile", folder("debs", archive)]], ["tar", unpack]);
  }
  rmSync(workFolder, { recursive: true });
}
