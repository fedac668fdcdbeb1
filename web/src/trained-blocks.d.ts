declare module "virtual:trained-blocks" {
  /** The address of the weights, or null where they were not there when the page was built. */
  const address: string | null;
  export default address;
}
