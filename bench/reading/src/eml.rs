//! Fields of mails.
pub(crate) fn measure(_corpus: &std::path::Path, _each: bool) -> anyhow::Result<()> {
    Ok(())
}
