//! Texts become vectors, by any model of the BERT family that lies in a folder.
